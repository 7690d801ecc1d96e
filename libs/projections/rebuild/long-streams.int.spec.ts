import { Logger } from '@nestjs/common';
import { at } from '#event-store/load';
import { toId } from '#kernel/ids';
import { Division, type DivisionState } from '#practice/divisions/division';
import { Divisions } from '../testing/divisions';
import { expectExact } from '../testing/expect-exact';

describe('streams of more events than are read at once', () => {
  let divisions: Divisions;

  beforeEach(async () => {
    jest.spyOn(Logger.prototype, 'log').mockImplementation();
    divisions = await Divisions.open(2);
  });
  afterEach(async () => {
    await divisions.close();
    jest.restoreAllMocks();
  });

  it('are each one row of a rebuilt read model', async () => {
    const parts = divisions.parts();
    parts.runner.start();
    await divisions.createMany(0, 8);
    const [context] = divisions.contexts;
    const { writes, store } = divisions.store;
    const { rows: ids } = await writes.pool.query<{ id: string }>(
      `select stream_id as id from event_store.streams
       where tenant_id = $1 and kind = 'division' order by stream_id limit 3`,
      [context.tenant.id],
    );
    for (const [index, { id }] of ids.entries())
      await store.execute<DivisionState>(context, async (work) => {
        const { division } = await work.load({ division: at(Division, toId('division', id)) });
        const names = Array.from({ length: [100, 31, 63][index] }, (_, number) => `Name ${index} ${number}`);
        return work.change(
          Division,
          division!,
          names.map((name) => ({ type: 'DivisionUpdated' as const, data: { name } })),
        );
      });
    await divisions.visible();
    await expectExact(divisions.store);
    const shown = { divisions: await divisions.shown('divisions'), tally: await divisions.shown('tally') };
    await parts.runner.stop();
    for (const name of ['divisions', 'tally']) await parts.rebuild.rebuild(name);
    expect({
      divisions: await divisions.shown('divisions'),
      tally: await divisions.shown('tally'),
    }).toEqual(shown);
    expect((shown.tally as { events: number }[]).map(({ events }) => events)).toContain(101);
  });
});
