-- A read model that has no event yet is of the latest version.
update read_model.generations g set version = 2
where g.projection = 'invoices'
  and not exists (select from read_model.checkpoints c where c.projection = g.projection);
