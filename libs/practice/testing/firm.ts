import type { RecordedEvent } from '#event-store/events';
import { START } from '#event-store/position';
import { toId } from '#kernel/ids';
import type { RequestContext } from '#platform/request-context';
import type { Projection } from '#projections/projection';
import { createContext, type TestStore } from '../../../test/support/store';
import { waitFor } from '../../../test/support/wait-for';
import { type AnyList } from '../records/record-list';
import { GetRecord, GetRecordHandler, ListRecords, ListRecordsHandler } from '../records/records.queries';
import { newTenant, Tenant } from '../tenants/tenant';

/** Creates a tenant with its settings, in a store that knows the definition `Tenant`. The base currency is GBP. */
export async function createFirm(store: TestStore): Promise<RequestContext> {
  const context = await createContext(store);
  await store.store.execute(context, async (work) =>
    work.create(Tenant, toId('tenant', context.tenant.streamId), newTenant('Firm', 'uk')),
  );
  return context;
}

/** Projects all events of the tenant's streams to read models. */
export async function project(
  store: TestStore,
  { tenant }: RequestContext,
  projections: readonly Projection[],
): Promise<void> {
  const { rows } = await store.writes.pool.query<{ total: number }>(
    'select count(*)::int as total from event_store.events where tenant_id = $1',
    [tenant.id],
  );
  let events: RecordedEvent[] = [];
  await waitFor(
    async () => {
      const read = (await store.feed.page([{ partition: tenant.partition, after: START }], 10_000)).events;
      events = read.filter(({ tenantId }) => tenantId === tenant.id);
      return events.length === rows[0].total;
    },
    { description: "the feed to show all of the tenant's events" },
  );
  const client = await store.reads.pool.connect();
  try {
    for (const projection of projections) {
      const relevant = events.filter(({ event }) => projection.eventTypes.has(event.type));
      await projection.apply(client, 1, relevant);
    }
  } finally {
    client.release();
  }
}

// biome-ignore lint/suspicious/noExplicitAny: an answer's JSON
type Json = any;

/** The `data` of the response to GET of a record. */
export async function getRecord(
  { reads, loader }: TestStore,
  context: RequestContext,
  list: AnyList,
  id: string,
): Promise<Json> {
  const reply = await new GetRecordHandler(reads, loader).execute(
    new GetRecord(context, list, id as GetRecord['id']),
  );
  return (reply.body as Json).data;
}

/** The rows that a list returns. */
export async function listRecords(
  { reads }: TestStore,
  context: RequestContext,
  list: AnyList,
  query: object = {},
): Promise<Json[]> {
  const reply = await new ListRecordsHandler(reads).execute(new ListRecords(context, list, query));
  return (reply.body as Json).data.rows;
}
