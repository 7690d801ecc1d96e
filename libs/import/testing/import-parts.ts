import { randomUUID } from 'node:crypto';
import { Logger } from '@nestjs/common';
import { Client } from 'pg';
import { BulkAppender } from '#event-store/append/append-bulk';
import { ClosedTenants } from '#event-store/closed-tenants';
import { Erasures } from '#event-store/erasures';
import type { Folded } from '#event-store/events';
import { at, linkedTo } from '#event-store/load';
import { AppendSignal } from '#event-store/signal';
import { derivedOf } from '#event-store/streams/testing/derived';
import { SystemClock } from '#kernel/clock';
import { kindOf } from '#kernel/ids';
import type { Installation } from '#platform/auth/installation';
import { type RegisteredTenant, Tenants } from '#platform/auth/tenants';
import type { RequestContext, TenantRef } from '#platform/request-context';
import { definitions } from '#practice/areas';
import { ErasedEntities } from '#practice/entities/entity.erasures';
import { remove } from '#practice/records/simple-record';
import { STANDARD_TAX_CODE, TaxCode, THE_STANDARD } from '#practice/tax-codes/tax-code.lookup';
import { operatorContext } from '#practice/tenants/operator.lookup';
import { TenantSetup } from '#practice/tenants/tenant-setup';
import { allProjections } from '#practice/testing/projected-firms';
import { Projections } from '#projections/projections';
import { ReachedPositions } from '#projections/reached-positions';
import { projectionParts } from '#projections/testing/parts';
import { createTestStore } from '../../../test/support/store';
import type { ImportRun, TableCounts } from '../import-run';
import { Loading } from '../loading/loading';
import { StagingErasures } from '../loading/staging-erasures';
import { StagingTenants } from '../loading/staging-tenants';
import { ExistingRecords } from '../records/existing-records';
import { StagingArea } from '../staging/staging-area';

/** Opens a store with a production tenant, and the services that load imports. */
export async function openImports(region: 'uk' | 'au' = 'uk') {
  jest.spyOn(Logger.prototype, 'log').mockImplementation();
  const clock = new SystemClock();
  const store = await createTestStore(definitions, clock);
  const signal = new AppendSignal(store.writes);
  const tenants = new Tenants(store.writes, { region, partitions: 12 } as Installation);
  const bulk = new BulkAppender(store.writes, store.codec, store.keys, signal, clock);
  const setup = new TenantSetup(tenants, store.store, store.loader, bulk, new ClosedTenants(store.writes));
  const parts = projectionParts(store, allProjections, clock);
  const reached = new ReachedPositions(store.reads, new Projections(allProjections));
  const existing = new ExistingRecords(store.loader, store.codec.definitions);
  const stagingTenants = new StagingTenants(tenants, store.writes);
  const loading = (appender = bulk) =>
    new Loading(
      stagingTenants,
      existing,
      store.writes,
      appender,
      store.loader,
      parts.held,
      parts.fill,
      reached,
      clock,
    );
  const { writes, codec } = store;
  const erasures = new Erasures(writes, codec);
  const erased = new ErasedEntities(erasures, store.store, tenants, new ClosedTenants(writes));
  const stagingErasures = new StagingErasures(stagingTenants, parts.held, erased);
  const tenant = await setup.create({ alias: 'firm', name: 'Firm', region });
  const client = new Client(store.url);
  await client.connect();
  const production = operatorContext(tenant);
  return {
    store,
    tenant,
    client,
    tenants,
    setup,
    existing,
    bulk,
    loading,
    stagingErasures,
    production,
    audit: parts.audit,
    reconciliation: parts.reconciliation,
    runner: parts.runner,
    verifier: derivedOf(store).verifier,

    /** A worker's turn at an import whose staging area is filled by the caller. */
    async run(given: Partial<ImportRun> = {}): Promise<ImportRun & { counts: Map<string, TableCounts> }> {
      const requestId = given.requestId ?? randomUUID();
      await client.query(
        `insert into import.requests (id, tenant_id, status, message, requested_by, queued_at, updated_at)
         values ($1, $2, 'Loading', 'Loading', 'integration:etl', now(), now()) on conflict do nothing`,
        [requestId, (given.tenant ?? tenant).id],
      );
      const counts = new Map<string, TableCounts>();
      return {
        requestId,
        tenant,
        requestedBy: 'integration:etl',
        counts,
        staging: new StagingArea(requestId),
        signal: new AbortController().signal,
        owning: (work) => store.writes.transaction(work),
        report: (table, more) => void counts.set(table, { ...(counts.get(table) as TableCounts), ...more }),
        ...given,
      };
    },

    /** A record as commands find it; undefined when there is none. */
    async find<State extends object>(of: TenantRef, id: string): Promise<State | undefined> {
      const definition = store.codec.definitions.ofKind(kindOf(id)!);
      const [found] = await store.loader.load(of.id, [at(definition, id)]);
      return (found as Folded<State> | undefined)?.data;
    },

    /** Deletes the tenant's own Standard tax codes: those of an import are then the only ones. */
    async dropStandardCodes(): Promise<void> {
      await store.store.execute(production, async (work) => {
        const { codes } = await work.load({ codes: linkedTo(TaxCode, THE_STANDARD, [STANDARD_TAX_CODE]) });
        return codes.map((code) => work.change(TaxCode, code, remove(TaxCode, 0)))[0];
      });
    },

    /** Ends the request of an import, so that another one may begin. */
    async finish({ requestId }: Pick<ImportRun, 'requestId'>): Promise<void> {
      await client.query(`update import.requests set status = 'Validated' where id = $1`, [requestId]);
    },

    contextOf: (of: RegisteredTenant): RequestContext => operatorContext(of),

    async sql<Row extends object>(text: string, values: unknown[] = []): Promise<Row[]> {
      return (await store.reads.pool.query<Row>(text, values)).rows;
    },

    async close(): Promise<void> {
      signal.onApplicationShutdown();
      await parts.bus.onApplicationShutdown();
      await client.end();
      await store.close();
    },
  };
}

export type Imports = Awaited<ReturnType<typeof openImports>>;
