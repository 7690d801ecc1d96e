import type { RequestContext } from '#platform/request-context';
import type { Projection } from '#projections/projection';
import { projectionParts } from '#projections/testing/parts';
import { createTestStore } from '../../../test/support/store';
import { waitFor } from '../../../test/support/wait-for';
import { areas, definitions } from '../areas';
import {
  CreateDivision,
  CreateDivisionHandler,
  UpdateDivision,
  UpdateDivisionHandler,
} from '../divisions/division.commands';
import { createFirm } from './firm';
import { liveFirm } from './firm-life';

/** Every read model of the domain. */
export const allProjections = areas.flatMap(({ projections }) => projections);

/** Opens firms in which every type of event has happened, with a runner that maintains their read models. */
export async function openFirms(count: number, projections: readonly Projection[] = allProjections) {
  const store = await createTestStore(definitions);
  const parts = projectionParts(store, projections);
  const contexts: RequestContext[] = [];
  for (let number = 0; number < count; number++) {
    const context = await createFirm(store);
    await liveFirm(store.store, context);
    contexts.push(context);
  }
  parts.runner.start();
  const firms = {
    store,
    parts,
    contexts,

    async createDivision(context: RequestContext, name: string): Promise<string> {
      const command = new CreateDivision(context, { name });
      return (await new CreateDivisionHandler(store.store).execute(command)).record.id;
    },

    async rename(context: RequestContext, id: string, name: string): Promise<void> {
      await new UpdateDivisionHandler(store.store).execute(new UpdateDivision(context, id, { name }));
    },

    /** Resolves once the read models show all events, except those of parked tenants. */
    settled: () =>
      waitFor(async () => (await parts.status.list()).every(({ lag }) => lag === 0), {
        description: 'the read models to show all events',
      }),

    async sql<Row extends object>(text: string, values: unknown[] = []): Promise<Row[]> {
      return (await store.reads.pool.query<Row>(text, values)).rows;
    },

    /** Changes rows without the projections' knowledge while the given work runs, and restores them afterwards. */
    async tampered<Result>(
      table: string,
      statement: string,
      values: unknown[],
      work: () => Promise<Result>,
    ): Promise<Result> {
      await store.reads.pool.query(`create table saved as select * from read_model.${table}`);
      try {
        await store.reads.pool.query(statement, values);
        return await work();
      } finally {
        await store.reads.pool.query(
          `delete from read_model.${table}; insert into read_model.${table} select * from saved; drop table saved`,
        );
      }
    },

    async close(): Promise<void> {
      await parts.bus.onApplicationShutdown();
      await store.close();
    },
  };
  await firms.settled();
  return firms;
}

export type Firms = Awaited<ReturnType<typeof openFirms>>;
