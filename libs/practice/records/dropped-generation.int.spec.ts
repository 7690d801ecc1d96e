import { Logger } from '@nestjs/common';
import type { PoolClient } from 'pg';
import type { ListQuery } from '#platform/http/input/list-query';
import { definitions, projections } from '#practice/areas';
import { createFirm } from '#practice/testing/firm';
import { liveFirm } from '#practice/testing/firm-life';
import { workItems } from '#practice/work-items/work-item.queries';
import { projectionParts } from '#projections/testing/parts';
import { createTestStore, type TestStore } from '../../../test/support/store';
import { waitFor } from '../../../test/support/wait-for';
import { ListRecords, ListRecordsHandler } from './records.queries';

/** Begins something between the first and the second statement of the next snapshot, and does not wait for its end. */
function between({ reads }: TestStore, begin: () => void): void {
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
            await waitFor(() => isDetaching(reads), {
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
async function isDetaching(reads: TestStore['reads']): Promise<boolean> {
  const { rows } = await reads.pool.query<{ gone: boolean }>(
    `select to_regclass('read_model.matters_g1') is null or exists (
       select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
         and query like '%detach partition%matters_g1%') as gone`,
  );
  return rows[0].gone;
}

it('shows what rows show of other records although these are rebuilt between two statements of a list', async () => {
  jest.spyOn(Logger.prototype, 'log').mockImplementation();
  const store = await createTestStore(definitions);
  const { runner, rebuild, status, bus } = projectionParts(store, projections);
  try {
    const context = await createFirm(store);
    await liveFirm(store.store, context);
    runner.start();
    await waitFor(async () => (await status.list()).every(({ lag }) => lag === 0), {
      description: 'the firm to be shown',
    });
    const query = { state: 1, pageSize: 3 } as ListQuery;
    const shown = async () =>
      (await new ListRecordsHandler(store.reads).execute(new ListRecords(context, workItems, query))).body;
    const before = await shown();
    expect(JSON.stringify(before)).toContain('"matterNumber":"');
    let rebuilding: Promise<unknown> | undefined;
    between(store, () => {
      rebuilding = rebuild.rebuild('matters');
    });
    expect(await shown()).toEqual(before);
    await rebuilding;
    expect(await shown()).toEqual(before);
  } finally {
    await bus.onApplicationShutdown();
    await store.close();
    jest.restoreAllMocks();
  }
});
