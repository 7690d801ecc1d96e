-- Most work is time, and finalised: whoever asks for that finds it along the entry dates. The rest is found here, so that
-- a work item seldom has an entry in either, which every change of it and every rebuild paid for.
drop index read_model.work_items_tenant_id_item_state_entry_date_id_idx;
create index on read_model.work_items (tenant_id, item_state, entry_date, id) where item_state <> 1::smallint;
drop index read_model.work_items_tenant_id_item_type_entry_date_id_idx;
create index on read_model.work_items (tenant_id, item_type, entry_date, id) where item_type <> 0::smallint;
