import type { ClientBase } from 'pg';
import { makeTable } from '../working-tables';
import { referencesByIds, uuidIn } from './named-by-id';

/** Fields whose values rows take over from the tenant's records: unit length, tax code, and names of work and costs. */
const TAKEN = ['minutesPerUnit', 'taxCodeId', 'name', 'description', 'narration'];
const UPDATES = ['MatterUpdated', 'ClientUpdated', 'DisbursementCodeUpdated', 'TaskTypeUpdated'];

/**
 * Makes `changed_own`: the ids of the tenant's own records that rows name, and of which a field in TAKEN has changed,
 * in the record itself or in its matter's client. Rows of earlier imports have taken over the former values.
 */
export async function makeChangedOwn(session: ClientBase): Promise<void> {
  await makeTable(
    session,
    'changed_own',
    `with own as (
       select id, ${uuidIn('id')} as stream_id
       from (select distinct id from (${referencesByIds()}) r) r
       where split_part(id, '_', 1) in ('matter', 'client', 'disbursementcode', 'tasktype')
     ), saying as (
       select id, stream_id from own
       union all
       select o.id, ${uuidIn('v.id')}
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
