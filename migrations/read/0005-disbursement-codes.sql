create table read_model.disbursement_codes (
  like read_model.record,
  code text collate read_model.natural_order not null, name text collate read_model.natural_order not null,
  activity smallint not null, kind text, tax_code_id uuid not null, supplier_id uuid,
  primary key (generation, tenant_id, id)
) partition by list (generation);
select read_model.begin_model('disbursement-codes');
create index on read_model.disbursement_codes (tenant_id, code, id);
create index on read_model.disbursement_codes (tenant_id, activity, code, id);
create index on read_model.disbursement_codes (tenant_id, kind, code, id);
create index on read_model.disbursement_codes (tenant_id, tax_code_id, code, id);
create index on read_model.disbursement_codes (tenant_id, supplier_id, code, id);
create index on read_model.disbursement_codes using gin (search);
