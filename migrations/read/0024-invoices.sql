create table read_model.invoices (
  like read_model.record,
  client_id uuid not null, matter_id uuid not null,
  number text collate read_model.natural_order, invoice_state smallint not null,
  issue_date date, due_date date, currency text not null,
  net numeric(19, 4) not null, tax numeric(19, 4) not null, total numeric(19, 4) not null,
  balance numeric(19, 4) not null,
  primary key (generation, tenant_id, id)
) partition by list (generation);
select read_model.begin_model('invoices');
create index on read_model.invoices using gin (tenant_id, search);
create index on read_model.invoices (tenant_id, id desc);
create index on read_model.invoices (tenant_id, client_id, id desc);
-- Also a matter's oldest draft.
create index on read_model.invoices (tenant_id, matter_id, invoice_state, id);
create index on read_model.invoices (tenant_id, number, id);
create index on read_model.invoices (tenant_id, issue_date desc, id desc);
create index on read_model.invoices (tenant_id, changed_epoch, changed_transaction_id, changed_position);
create index on read_model.invoices (tenant_id, updated_on desc, id desc);
