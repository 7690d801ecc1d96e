create table read_model.tax_codes (
  like read_model.record,
  code text collate read_model.natural_order not null, name text collate read_model.natural_order not null,
  scheme text not null, category text not null,
  primary key (generation, tenant_id, id)
) partition by list (generation);
select read_model.begin_model('tax-codes');
create index on read_model.tax_codes using gin (search);
create index on read_model.tax_codes (tenant_id, code, id);

-- A client shows its tax code's text.
alter table read_model.clients add column tax_code_id uuid;
