-- A read model that has no event yet is of the latest version.
update read_model.generations g set version = latest.version
from (values ('people', 2), ('clients', 2), ('matters', 2), ('work-items', 2)) as latest(projection, version)
where g.projection = latest.projection
  and not exists (select from read_model.checkpoints c where c.projection = g.projection);
