-- What is planned once for all tenants is planned for the largest: as if it had all the rows. A plan for the average one
-- goes through all of a tenant's rows where they are a few in most.
do $$
declare name regclass;
begin
  for name in
    select r.oid from pg_class r join pg_attribute a on a.attrelid = r.oid
    where r.relnamespace = 'read_model'::regnamespace and r.relkind in ('r', 'p')
      and a.attname = 'search' and not a.attisdropped
    order by r.oid
  loop
    execute format('alter table %s alter tenant_id set (n_distinct = 1)', name);
    -- A partitioned table's own statistics are of no use here.
    if (select relkind from pg_class where oid = name) = 'r' then
      execute format('analyze %s', name);
    end if;
  end loop;
end $$;
