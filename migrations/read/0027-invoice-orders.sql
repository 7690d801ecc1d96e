-- Invoices are listed by when they were made, all of them or those of a state; that is not the order of their ids.
create index on read_model.invoices (tenant_id, created_on, id);
create index on read_model.invoices (tenant_id, invoice_state, created_on, id);
