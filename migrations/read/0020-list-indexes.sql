-- Every list finds by words, by what changed since, and sorts by when a record was created or changed. The tenant leads
-- the words too: else a name that is common in other firms is looked for in all of them.
create extension if not exists btree_gin;

do $$
declare name text;
begin
  foreach name in array array['people','clients','employees','divisions','matters','work_items','matter_types','task_types',
    'disbursement_codes','tax_codes','suppliers','roles','rate_sets','applicable_rates'] loop
    execute format('drop index if exists read_model.%I', name || '_search_idx');
    execute format('create index on read_model.%I using gin (tenant_id, search)', name);
    execute format('create index on read_model.%I (tenant_id, changed_epoch, changed_transaction_id, changed_position)', name);
    execute format('create index on read_model.%I (tenant_id, created_on, id)', name);
    execute format('create index on read_model.%I (tenant_id, updated_on, id)', name);
  end loop;
end $$;

-- What a list is filtered by comes first, then its usual order: a page of a rare value is found without sorting.
create index on read_model.clients (tenant_id, client_state, client_number, id);
create index on read_model.employees (tenant_id, employee_state);
create index on read_model.employees (tenant_id, is_fee_earner);
create index on read_model.employees (tenant_id, initials, id);
create index on read_model.suppliers (tenant_id, activity);
create index on read_model.divisions (tenant_id, code, id);
create index on read_model.divisions (tenant_id, division_state, name, id);
create index on read_model.matter_types (tenant_id, code, id);
create index on read_model.matter_types (tenant_id, activity, name, id);
create index on read_model.matter_types (tenant_id, parent_id, name, id);
drop index read_model.matter_types_tenant_id_parent_id_idx;
create index on read_model.task_types (tenant_id, name, id);
create index on read_model.disbursement_codes (tenant_id, name, id);
create index on read_model.tax_codes (tenant_id, name, id);
create index on read_model.tax_codes (tenant_id, scheme, code, id);
create index on read_model.tax_codes (tenant_id, category, code, id);
create index on read_model.rate_sets (tenant_id, from_day, id);
create index on read_model.matters (tenant_id, title, id);
create index on read_model.matters (tenant_id, date_opened, id);
create index on read_model.matters (tenant_id, matter_state, matter_number, id);
create index on read_model.matters (tenant_id, division_id, matter_number, id);
create index on read_model.matters (tenant_id, matter_type_id, matter_number, id);
create index on read_model.matters (tenant_id, responsible_person_id, matter_number, id);
create index on read_model.matters (tenant_id, client_id, matter_number, id);
drop index read_model.matters_tenant_id_client_id_idx;
create index on read_model.work_items (tenant_id, item_state, entry_date, id);
create index on read_model.work_items (tenant_id, item_type, entry_date, id);

-- A statement that calls this is given no parallel workers: to start them takes longer than a page of a list.
create function read_model.alone() returns boolean language sql immutable parallel unsafe return true;
