create table read_model.cost_recoveries (
  like read_model.record,
  entry_date timestamptz not null,
  entry_day date not null,           -- the day of entry_date in the tenant's time zone
  matter_id uuid not null, disbursement_code_id uuid not null, tax_code_id uuid not null, supplier_id uuid, invoice_id uuid,
  kind text not null,                -- CostRecovery, Anticipated, Incurred
  cost_state smallint not null,      -- 0 Pending, 1 Finalised, 2 Billed, 3 WrittenOff
  currency text not null,
  quantity numeric(19,4) not null, unit_amount numeric(19,4) not null,
  total numeric(19,4) not null, remaining numeric(19,4) not null,
  primary key (generation, tenant_id, id)
) partition by list (generation);
select read_model.begin_model('cost-recoveries');
create index on read_model.cost_recoveries using gin (tenant_id, search);
create index on read_model.cost_recoveries (tenant_id, changed_epoch, changed_transaction_id, changed_position);
create index on read_model.cost_recoveries (tenant_id, updated_on, id);
create index on read_model.cost_recoveries (tenant_id, created_on, id);
create index on read_model.cost_recoveries (tenant_id, entry_date desc, id desc);
create index on read_model.cost_recoveries (tenant_id, matter_id, entry_date);
-- A state, a code or a supplier can be rare among the costs.
create index on read_model.cost_recoveries (tenant_id, cost_state, entry_date, id);
create index on read_model.cost_recoveries (tenant_id, disbursement_code_id, entry_date, id);
create index on read_model.cost_recoveries (tenant_id, supplier_id, entry_date, id) where supplier_id is not null;
