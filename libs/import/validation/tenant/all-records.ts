import type { ClientBase } from 'pg';
import { idText } from './named-by-id';

/** SQL: the state of a tenant's record, which is stored as an integer, by the name that rows use for it. */
const active = `case (data ->> 'state')::int when 0 then 'New' when 1 then 'Active' else 'Inactive' end`;

/** Views of the records to which rows refer, rows and records of the tenant alike. `key` is the text of a reference. */
const views: Record<string, string> = {
  // One `id` for each client, as some rows may name it by its key and others by its id.
  all_clients: `
    select c.import_id as key, coalesce(i.id::text, c.import_id) as id, c.state,
      null::numeric as minutes_per_unit, null as tax_code
    from clients c left join record_ids i on i.table_name = 'Client' and i.import_id = c.import_id
    union all
    select id, stream_id::text, ${active}, (data ->> 'minutesPerUnit')::numeric, data ->> 'taxCodeId'
    from existing where kind = 'client'`,
  all_matters: `
    select m.key, m.state, c.id as client, c.state as client_state,
      coalesce(m.minutes_per_unit, c.minutes_per_unit, s.minutes_per_unit) as minutes_per_unit,
      coalesce(m.tax_code, c.tax_code) as tax_code
    from (
      select import_id as key, client_id, state, null::numeric as minutes_per_unit, null as tax_code from matters
      union all
      select id, data ->> 'clientId', case (data ->> 'state')::int when 1 then 'Open' when 2 then 'Closed' else 'Archived' end,
        (data ->> 'minutesPerUnit')::numeric, data ->> 'taxCodeId'
      from existing where kind = 'matter'
    ) m
    cross join settings s
    left join all_clients c on c.key = m.client_id`,
  all_matter_types: `
    select import_id as key, parent_id from matter_types
    union all
    select id, data ->> 'parentId' from existing where kind = 'mattertype'`,
  all_disbursement_codes: `
    select import_id as key, kind, tax_code_id from disbursement_codes
    union all
    select id, data ->> 'kind', data ->> 'taxCodeId' from existing where kind = 'disbursementcode'`,
  all_tax_codes: `
    select t.import_id as key, ${idText("'taxcode'", 'i.id')} as id, t.category, t.scheme
    from tax_codes t left join record_ids i on i.table_name = 'TaxCode' and i.import_id = t.import_id
    union all
    select id, id, data ->> 'category', data ->> 'scheme' from existing where kind = 'taxcode'`,
  all_tax_rates: `
    select tax_code_id as key, percent, from_date, coalesce(to_date, 'infinity') as to_date from tax_rates
    union all
    select e.id, (r ->> 'percent')::numeric, (r ->> 'from')::date, coalesce((r ->> 'to')::date, 'infinity')
    from existing e cross join lateral jsonb_array_elements(e.data -> 'rates') r where e.kind = 'taxcode'`,
};

export async function makeKnownRecords(session: ClientBase): Promise<void> {
  for (const [name, query] of Object.entries(views))
    await session.query(`create or replace view ${name} as ${query}`);
}
