-- Held since before the tenant's first event: nothing of it is shown until all is filled in at once.
alter table read_model.held add column is_new boolean not null default false;
