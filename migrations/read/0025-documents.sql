create table read_model.document_collections (
  like read_model.record,
  name text collate read_model.natural_order not null, subject_id text not null, parent_id uuid, root_of uuid,
  primary key (generation, tenant_id, id)
) partition by list (generation);
select read_model.begin_model('document-collections');
create index on read_model.document_collections (tenant_id, name, id);
create index on read_model.document_collections (tenant_id, subject_id, name, id);
create index on read_model.document_collections (tenant_id, parent_id, name, id);
create index on read_model.document_collections (tenant_id, root_of) where root_of is not null;

create table read_model.documents (
  like read_model.record,
  file_name text collate read_model.natural_order not null, collection_id uuid not null, subject_id text not null,
  size bigint not null,
  primary key (generation, tenant_id, id)
) partition by list (generation);
select read_model.begin_model('documents');
create index on read_model.documents (tenant_id, file_name, id);
create index on read_model.documents (tenant_id, size, id);
create index on read_model.documents (tenant_id, collection_id, file_name, id);
create index on read_model.documents (tenant_id, subject_id, file_name, id);

do $$
declare name text;
begin
  foreach name in array array['document_collections','documents'] loop
    execute format('create index on read_model.%I using gin (tenant_id, search)', name);
    execute format('create index on read_model.%I (tenant_id, changed_epoch, changed_transaction_id, changed_position)', name);
    execute format('create index on read_model.%I (tenant_id, created_on, id)', name);
    execute format('create index on read_model.%I (tenant_id, updated_on, id)', name);
  end loop;
end $$;
