-- The matters of many people are found from these indexes alone, without reading a row of either table.
create index on read_model.clients (tenant_id, entity_id) include (id, generation);
drop index read_model.clients_tenant_id_entity_id_idx;
create index on read_model.matters (tenant_id, client_id, matter_number, id) include (generation, is_deleted);
drop index read_model.matters_tenant_id_client_id_matter_number_id_idx;
