import type { Pool } from 'pg';
import type { Projection } from '../projection';

/**
 * Counts the events of each stream by incrementing, which reveals an event that is applied twice or half rolled back.
 * Needs createTally.
 */
export function tally(eventTypes: ReadonlySet<string>): Projection {
  const columns = { tenant_id: 'int', stream_id: 'uuid', events: 'bigint' };
  return {
    name: 'tally',
    version: 1,
    tables: [{ name: 'tally', columns, key: ['tenant_id', 'stream_id'], stream: 'stream_id' }],
    eventTypes,
    async apply(client, generation, events) {
      await client.query(
        `insert into read_model.tally as t (generation, tenant_id, stream_id, events)
         select $1, tenant, stream, count(*) from unnest($2::int[], $3::uuid[]) as e(tenant, stream)
         group by tenant, stream order by stream
         on conflict (generation, tenant_id, stream_id) do update set events = t.events + excluded.events`,
        [generation, events.map(({ tenantId }) => tenantId), events.map(({ streamId }) => streamId)],
      );
    },
    ofStream() {
      let row: [tenantId: number, streamId: string, events: number];
      return {
        add: ({ tenantId, streamId }) => {
          row = [tenantId, streamId, (row?.[2] ?? 0) + 1];
        },
        rows: () => [[row]],
      };
    },
  };
}

export async function createTally(pool: Pool): Promise<void> {
  await pool.query(`
    create table read_model.tally (
      generation integer not null, tenant_id integer not null, stream_id uuid not null, events bigint not null,
      primary key (generation, tenant_id, stream_id)
    ) partition by list (generation);
    create table read_model.tally_g1 partition of read_model.tally for values in (1);
    insert into read_model.generations (projection, generation, version) values ('tally', 1, 1);
    insert into read_model.live (projection, tenant_id, generation) values ('tally', 0, 1)`);
}
