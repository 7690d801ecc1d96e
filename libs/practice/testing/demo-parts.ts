import { BulkAppender } from '#event-store/append/append-bulk';
import { ClosedTenants } from '#event-store/closed-tenants';
import { AppendSignal } from '#event-store/signal';
import { Clock } from '#kernel/clock';
import type { Installation } from '#platform/auth/installation';
import { Tenants } from '#platform/auth/tenants';
import type { RequestContext } from '#platform/request-context';
import { projectionParts } from '#projections/testing/parts';
import { createTestStore } from '../../../test/support/store';
import { waitFor } from '../../../test/support/wait-for';
import { definitions } from '../areas';
import { DemoLoad } from '../demo/demo-load';
import { operatorContext, TenantSetup } from '../tenants/tenant-setup';
import { allProjections } from './projected-firms';

class StoppedClock extends Clock {
  constructor(private readonly instant: Date) {
    super();
  }
  now(): Date {
    return this.instant;
  }
}

/** Opens a store with tenants of a region, together with the parts that load demo data into them. */
export async function openDemo(region: 'uk' | 'au', now: Date) {
  const clock = new StoppedClock(now);
  const store = await createTestStore(definitions, clock);
  const signal = new AppendSignal(store.writes);
  const tenants = new Tenants(store.writes, { region, partitions: 12 } as Installation);
  const bulk = new BulkAppender(store.writes, store.codec, store.keys, signal, clock);
  const setup = new TenantSetup(tenants, store.store, store.loader, bulk, new ClosedTenants(store.writes));
  const parts = projectionParts(store, allProjections);
  return {
    store,
    setup,
    audit: parts.audit,
    rebuild: parts.rebuild,
    reconciliation: parts.reconciliation,
    load: new DemoLoad(tenants, store.writes, store.loader, bulk, clock),

    async tenant(alias: string): Promise<RequestContext> {
      return operatorContext(await setup.create({ alias, name: `Firm ${alias}` }));
    },

    /** Brings all read models up to date. */
    async project(): Promise<void> {
      parts.runner.start();
      await waitFor(async () => (await parts.status.list()).every(({ lag }) => lag === 0), {
        description: 'the read models to show all events',
      });
    },

    async sql<Row extends object>(text: string, values: unknown[] = []): Promise<Row[]> {
      return (await store.reads.pool.query<Row>(text, values)).rows;
    },

    async close(): Promise<void> {
      signal.onApplicationShutdown();
      await parts.bus.onApplicationShutdown();
      await store.close();
    },
  };
}

export type Demo = Awaited<ReturnType<typeof openDemo>>;
