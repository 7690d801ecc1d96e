import { BulkAppender } from '#event-store/append/append-bulk';
import { AppendSignal } from '#event-store/signal';
import { SystemClock } from '#kernel/clock';
import { newId } from '#kernel/ids';
import type { RequestContext } from '#platform/request-context';
import { Division } from '#practice/divisions/division';
import {
  CreateDivision,
  CreateDivisionHandler,
  UpdateDivision,
  UpdateDivisionHandler,
} from '#practice/divisions/division.commands';
import { divisionsProjection } from '#practice/divisions/division.projection';
import { feedVisible } from '../../../test/support/feed-visible';
import { createContext, createTestStore, type TestStore } from '../../../test/support/store';
import type { Projection } from '../projection';
import { projectionParts } from './parts';
import { createTally, tally } from './tally';

/** Tenants in a store of their own, with read models that show and count their divisions. */
export class Divisions {
  readonly tally = tally(divisionsProjection.eventTypes);
  readonly projections: readonly Projection[] = [divisionsProjection, this.tally];
  private readonly opened: ReturnType<typeof projectionParts>[] = [];

  private constructor(
    readonly store: TestStore,
    readonly contexts: RequestContext[],
  ) {}

  /** @param partition the partition of all tenants; default: each tenant has some partition */
  static async open(tenants = 3, partition?: number): Promise<Divisions> {
    const store = await createTestStore([Division]);
    await createTally(store.reads.pool);
    const contexts: RequestContext[] = [];
    for (let tenant = 0; tenant < tenants; tenant++) contexts.push(await createContext(store));
    if (partition === undefined) return new Divisions(store, contexts);
    await store.writes.pool.query('update platform.tenants set partition = $1', [partition]);
    return new Divisions(
      store,
      contexts.map((context) => ({ ...context, tenant: { ...context.tenant, partition } })),
    );
  }

  /** All services for read models, as another process has them. */
  parts(projections = this.projections): ReturnType<typeof projectionParts> {
    const parts = projectionParts(this.store, projections);
    this.opened.push(parts);
    return parts;
  }

  /** Creates one division, for each tenant in turn. Returns a function that renames it. */
  async create(number: number): Promise<(name: string) => Promise<unknown>> {
    const context = this.contexts[number % this.contexts.length];
    const command = new CreateDivision(context, { name: `Division ${number}` });
    const { record } = await new CreateDivisionHandler(this.store.store).execute(command);
    return (name) =>
      new UpdateDivisionHandler(this.store.store).execute(new UpdateDivision(context, record.id, { name }));
  }

  async createMany(from: number, to: number) {
    const numbers = Array.from({ length: to - from }, (_, index) => from + index);
    const renames = await Promise.all(numbers.map((number) => this.create(number)));
    await this.visible();
    return renames;
  }

  /** Waits until the feed delivers all events. */
  visible(): Promise<void> {
    return feedVisible(this.store.writes.pool);
  }

  /** Appends many divisions of every tenant at once, each created and renamed. */
  async append(perTenant: number, renamed = (number: number) => `Renamed ${number}`): Promise<void> {
    const { writes, codec, keys } = this.store;
    const signal = new AppendSignal(writes);
    const bulk = new BulkAppender(writes, codec, keys, signal, new SystemClock());
    const created = { code: null, isDefault: false, externalReference: null };
    for (const context of this.contexts) {
      const streams = Array.from({ length: perTenant }, (_, number) => ({
        definition: Division,
        id: newId('division'),
        events: [
          { type: 'DivisionCreated', data: { ...created, name: `Division ${number}` } },
          { type: 'DivisionUpdated', data: { name: renamed(number) } },
        ],
      }));
      await bulk.append(context, streams, 'test');
    }
    signal.onApplicationShutdown();
    await this.visible();
  }

  /** A read model as its readers see it: all columns except the generation. */
  async shown(projection: string): Promise<unknown[]> {
    const rows = await this.rows<{ row: unknown }>(
      `select to_jsonb(t) - 'generation' as row from read_model.${projection} t
       where t.generation = (select read_model.live_generation('${projection}', t.tenant_id))
       order by t.tenant_id, (to_jsonb(t) - 'generation')::text`,
    );
    return rows.map(({ row }) => row);
  }

  async rows<Row extends object>(sql: string, values?: unknown[]): Promise<Row[]> {
    return (await this.store.reads.pool.query<Row>(sql, values)).rows;
  }

  async close(): Promise<void> {
    await Promise.all(this.opened.map(({ bus }) => bus.onApplicationShutdown()));
    await this.store.close();
  }
}
