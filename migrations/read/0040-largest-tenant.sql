-- What is planned once for all tenants is planned for the largest: as if it had all the rows. A plan for the average one
-- goes through all of a tenant's rows where those are a few in most. It shows at the next `analyze`.
do $$
declare name regclass; filled boolean;
begin
  for name in
    select r.oid from pg_class r join pg_attribute a on a.attrelid = r.oid
    where r.relnamespace = 'read_model'::regnamespace and (r.relkind = 'p' or r.relispartition and r.relkind = 'r')
      and a.attname = 'tenant_id' and not a.attisdropped
    order by r.oid
  loop
    execute format('alter table %s alter tenant_id set (n_distinct = 1)', name);
    -- Of the partitioned table itself no statistics are used, and an empty table is taken for one that stays so.
    execute format('select exists (select from %s)', name) into filled;
    if filled and (select relispartition from pg_class where oid = name) then
      execute format('analyze %s', name);
    end if;
  end loop;
end $$;
