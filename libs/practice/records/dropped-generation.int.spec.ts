import { Logger } from '@nestjs/common';
import type { PoolClient } from 'pg';
import { toId } from '#kernel/ids';
import type { ListQuery } from '#platform/http/input/list-query';
import type { RequestContext } from '#platform/request-context';
import { definitions, projections } from '#practice/areas';
import { createRoot } from '#practice/document-collections/document-collection.lookup';
import { matters } from '#practice/matters/matter.queries';
import { createFirm } from '#practice/testing/firm';
import { liveFirm } from '#practice/testing/firm-life';
import { workItems } from '#practice/work-items/work-item.queries';
import { projectionParts } from '#projections/testing/parts';
import { createTestStore, type TestStore } from '../../../test/support/store';
import { waitFor } from '../../../test/support/wait-for';
import type { AnyList } from './record-list';
import { ListRecords, ListRecordsHandler } from './records.queries';
import { tableOf } from './state-table';

/** Begins something between the first and the second statement of the next snapshot, and does not wait for its end. */
function between({ reads }: TestStore, table: string, begin: () => void): void {
  const snapshot = reads.snapshot.bind(reads);
  reads.snapshot = (tables, work, pool) => {
    reads.snapshot = snapshot;
    return snapshot(
      tables,
      (client) => {
        let statements = 0;
        const query = async (statement: never) => {
          if (++statements === 2) {
            begin();
            await waitFor(() => isDetaching(reads, table), {
              description: 'the other generation to be live, and the former one to be dropped',
            });
          }
          return client.query(statement);
        };
        return work({ query } as unknown as PoolClient);
      },
      pool,
    );
  };
}

/** Whether the generation that the snapshot sees is about to go: its tables are being detached, or are gone. */
async function isDetaching(reads: TestStore['reads'], table: string): Promise<boolean> {
  const { rows } = await reads.pool.query<{ gone: boolean }>(
    `select to_regclass('read_model.${table}_g1') is null or exists (
       select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
         and query like '%detach partition%${table}_g1%') as gone`,
  );
  return rows[0].gone;
}

/** Gives each of the firm's matters a collection of documents. */
async function collectDocuments({ store, writes }: TestStore, context: RequestContext): Promise<void> {
  const { rows } = await writes.pool.query<{ stream_id: string }>(
    `select stream_id from event_store.streams where tenant_id = $1 and kind = 'matter'`,
    [context.tenant.id],
  );
  for (const { stream_id } of rows)
    await store.execute(context, async (work) => createRoot(work, toId('matter', stream_id)));
}

it.each([
  { list: workItems, other: 'matters', shows: '"matterNumber":"' },
  { list: matters, other: 'document-collections', shows: '"documentCollectionId":"' },
])(
  'shows what rows show of $other although these are rebuilt between two statements of a list',
  async (given) => {
    const { list, other, shows } = given;
    jest.spyOn(Logger.prototype, 'log').mockImplementation();
    const store = await createTestStore(definitions);
    const { runner, rebuild, status, bus } = projectionParts(store, projections);
    try {
      const context = await createFirm(store);
      await liveFirm(store.store, context);
      await collectDocuments(store, context);
      runner.start();
      await waitFor(async () => (await status.list()).every(({ lag }) => lag === 0), {
        description: 'the firm to be shown',
      });
      const query = { state: 1, pageSize: 3 } as ListQuery;
      const shown = async () =>
        (await new ListRecordsHandler(store.reads).execute(new ListRecords(context, list as AnyList, query)))
          .body;
      const before = await shown();
      expect(JSON.stringify(before)).toContain(shows);
      let rebuilding: Promise<unknown> | undefined;
      between(store, tableOf(other), () => {
        rebuilding = rebuild.rebuild(other);
      });
      expect(await shown()).toEqual(before);
      await rebuilding;
      expect(await shown()).toEqual(before);
    } finally {
      await bus.onApplicationShutdown();
      await store.close();
      jest.restoreAllMocks();
    }
  },
);
