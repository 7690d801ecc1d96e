import { type Id, toUuid } from '#kernel/ids';
import { openFirms } from '../testing/projected-firms';
import { GetHistory, GetHistoryHandler } from './records.queries';

describe('a page of a history with very long events', () => {
  it('is refused, and a shorter page is answered', async () => {
    const firms = await openFirms(1);
    const [context] = firms.contexts;
    const id = await firms.createDivision(context, 'One');
    const { loader, reads, writes } = firms.store;
    for (const name of ['Two', 'Three']) await firms.rename(context, id, name);
    await writes.pool.query(
      `update event_store.events set data = jsonb_set(data, '{name}', to_jsonb(repeat('x', 12000000)))
       where stream_id = $1`,
      [toUuid(id)],
    );
    const history = (query: object) =>
      new GetHistoryHandler(loader, reads).execute(new GetHistory(context, id as Id, query));
    await expect(history({})).rejects.toMatchObject({ fault: 'malformed', code: 'page_too_large' });
    expect(await history({ pageIndex: 1, pageSize: 1 })).toMatchObject({
      body: { data: { rows: [{ version: 2 }], hasMore: true } },
    });
    await firms.close();
  });
});
