import type { ClientBase } from 'pg';
import { makeTable } from '../working-tables';
import { referencesByIds } from './named-by-id';

/** What rows take of records of the tenant: how work is counted, what is taxed how, what work and costs are called. */
const TAKEN = ['minutesPerUnit', 'taxCodeId', 'name', 'description', 'narration'];
const UPDATES = ['MatterUpdated', 'ClientUpdated', 'DisbursementCodeUpdated', 'TaskTypeUpdated'];

/**
 * The tenant's own records that rows name by id and that have come to say otherwise what rows take of them, themselves or
 * by their client: `changed_own`. Rows that were brought before have taken what they said then.
 */
export async function makeChangedOwn(session: ClientBase): Promise<void> {
  await makeTable(
    session,
    'changed_own',
    `with own as (
       select id, substr(id, strpos(id, '_') + 1)::uuid as stream_id
       from (select distinct id from (${referencesByIds()}) r) r
       where split_part(id, '_', 1) in ('matter', 'client', 'disbursementcode', 'tasktype')
     ), saying as (
       select id, stream_id from own
       union all
       select o.id, substr(v.id, strpos(v.id, '_') + 1)::uuid
       from own o
       join event_store.streams s on s.tenant_id = (select tenant_id from settings) and s.stream_id = o.stream_id
         and s.kind = 'matter'
       cross join lateral (select s.state -> 'data' ->> 'clientId' as id) v
     )
     select distinct s.id from saying s where exists (
       select from event_store.events e
       where e.tenant_id = (select tenant_id from settings) and e.stream_id = s.stream_id
         and e.type in (${quoted(UPDATES)}) and e.data ?| array[${quoted(TAKEN)}])`,
    'id',
  );
}

function quoted(names: readonly string[]): string {
  return names.map((name) => `'${name}'`).join(', ');
}
