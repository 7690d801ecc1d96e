import type { Pool } from 'pg';
import type { Projection } from '../projection';

/**
 * Counts the events of each stream by adding up: an event that is applied twice, or rolled back half, shows. Needs
 * createTally.
 */
export function tally(eventTypes: ReadonlySet<string>): Projection {
  return {
    name: 'tally',
    version: 1,
    tables: ['tally'],
    eventTypes,
    async apply(client, generation, events) {
      await client.query(
        `insert into read_model.tally as t (generation, stream_id, events)
         select $1, stream, count(*) from unnest($2::uuid[]) as e(stream) group by stream order by stream
         on conflict (generation, stream_id) do update set events = t.events + excluded.events`,
        [generation, events.map(({ streamId }) => streamId)],
      );
    },
  };
}

export async function createTally(pool: Pool): Promise<void> {
  await pool.query(`
    create table read_model.tally (
      generation integer not null, stream_id uuid not null, events bigint not null,
      primary key (generation, stream_id)
    ) partition by list (generation);
    create table read_model.tally_g1 partition of read_model.tally for values in (1);
    insert into read_model.generations (projection, generation, version) values ('tally', 1, 1);
    insert into read_model.live (projection, tenant_id, generation) values ('tally', 0, 1)`);
}
