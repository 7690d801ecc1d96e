-- Tenants whose read models stand still on purpose, while very many events of theirs are appended that are to be seen
-- all at one moment. One that is parked as well stays so.
create table read_model.held (
  projection text not null,
  tenant_id integer not null,
  held_at timestamptz not null default now(),
  primary key (projection, tenant_id)
);

-- `parked` tells that a track stands still for either reason, so that a program that knows nothing of held tenants leaves
-- them alone, too.
create or replace view read_model.tracks as
  select l.projection, l.tenant_id, l.generation, p.tenant_id is not null or h.tenant_id is not null as parked,
    h.tenant_id is not null as held
  from read_model.live l
  left join read_model.parked p using (projection, tenant_id)
  left join read_model.held h using (projection, tenant_id)
  union all
  select s.projection, s.tenant_id, m.generation, true,
    exists (select from read_model.held h where (h.projection, h.tenant_id) = (s.projection, s.tenant_id))
  from (
    select projection, tenant_id from read_model.parked union select projection, tenant_id from read_model.held
  ) s
  join read_model.live m on m.projection = s.projection and m.tenant_id = 0
  where not exists (
    select from read_model.live o where o.projection = s.projection and o.tenant_id = s.tenant_id);
