import { Division } from '#practice/divisions/division';
import type { TestStore } from '../../../test/support/store';
import { waitFor } from '../../../test/support/wait-for';

/** Number of streams that are folded at a time. */
const AT_ONCE = 50;

/** Waits until all events have been applied. Then every division's row and tally must be the result of its events. */
export async function expectExact({ loader, reads }: TestStore): Promise<void> {
  const rows = async <Row extends object>(sql: string) => (await reads.pool.query<Row>(sql)).rows;
  const streams = await rows<{ tenant_id: number; stream_id: string; version: number }>(
    'select tenant_id, stream_id, max(version) as version from event_store.events group by 1, 2',
  );
  const total = streams.reduce((sum, { version }) => sum + version, 0);
  const counted = () =>
    rows<{ stream_id: string; events: string }>(
      `select stream_id, events from read_model.tally t
         where generation = (select read_model.live_generation('tally', t.tenant_id))`,
    );
  await waitFor(async () => (await counted()).reduce((sum, { events }) => sum + Number(events), 0) >= total, {
    description: `${total} events to be counted`,
  });
  const counts = new Map((await counted()).map(({ stream_id, events }) => [stream_id, Number(events)]));
  expect(counts).toEqual(new Map(streams.map(({ stream_id, version }) => [stream_id, version])));

  const shown = () =>
    rows<{ id: string; version: number; state: object }>(
      `select id, version, state from read_model.divisions d
         where generation = (select read_model.live_generation('divisions', d.tenant_id)) order by id`,
    );
  await waitFor(async () => (await shown()).reduce((sum, { version }) => sum + version, 0) === total, {
    description: 'every division to be shown as it is',
  });
  const folded: { id: string; version: number; state: object }[] = [];
  for (let first = 0; first < streams.length; first += AT_ONCE) {
    const folding = streams.slice(first, first + AT_ONCE).map(async ({ tenant_id, stream_id }) => {
      const fold = await loader.foldEvents(Division, tenant_id, stream_id);
      return { id: stream_id, version: fold!.version, state: fold!.data };
    });
    folded.push(...(await Promise.all(folding)));
  }
  expect(await shown()).toEqual(folded.sort((a, b) => (a.id < b.id ? -1 : 1)));
}
