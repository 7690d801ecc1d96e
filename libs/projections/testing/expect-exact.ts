import { EVENT_COLUMNS, type EventRow } from '#event-store/codec';
import { type Folded, fold } from '#event-store/events';
import { Division, type DivisionState } from '#practice/divisions/division';
import type { TestStore } from '../../../test/support/store';
import { waitFor } from '../../../test/support/wait-for';

/** Waits until all events have been applied. Then every division's row and tally must be the result of its events. */
export async function expectExact({ codec, reads }: TestStore): Promise<void> {
  const rows = async <Row extends object>(sql: string) => (await reads.pool.query<Row>(sql)).rows;
  const folded = new Map<string, Folded<DivisionState>>();
  for (const row of await rows<EventRow>(
    `select ${EVENT_COLUMNS} from event_store.events e order by e.version`,
  ))
    folded.set(row.stream_id, fold(Division, folded.get(row.stream_id), codec.decodeEvent(row)));
  const divisions = [...folded].sort(([a], [b]) => (a < b ? -1 : 1));
  const total = divisions.reduce((sum, [, { version }]) => sum + version, 0);
  const counted = () =>
    rows<{ stream_id: string; events: string }>(
      `select stream_id, events from read_model.tally t
         where generation = (select read_model.live_generation('tally', t.tenant_id))`,
    );
  await waitFor(async () => (await counted()).reduce((sum, { events }) => sum + Number(events), 0) >= total, {
    description: `${total} events to be counted`,
  });
  const counts = new Map((await counted()).map(({ stream_id, events }) => [stream_id, Number(events)]));
  expect(counts).toEqual(new Map(divisions.map(([id, { version }]) => [id, version])));

  const shown = () =>
    rows<{ id: string; version: number; state: object }>(
      `select id, version, state from read_model.divisions d
         where generation = (select read_model.live_generation('divisions', d.tenant_id)) order by id`,
    );
  await waitFor(async () => (await shown()).reduce((sum, { version }) => sum + version, 0) === total, {
    description: 'every division to be shown as it is',
  });
  expect(await shown()).toEqual(divisions.map(([id, { version, data }]) => ({ id, version, state: data })));
}
