import { verify } from '../e2e/hook-receiver';
import type { Walked } from '../e2e/specification-walk';
import type { ApiClient, Json } from '../support/client';
import { reportedWork } from './onlookers';
import type { Petitioner } from './petitioner';
import type { PromotionStage } from './promotion-stage';
import { pennies } from './source-firm';

/** Streams and their states, as commands load them. */
export type States = { stream_id: string; version: number; state: string }[];

/** The tenant's records, or those with the given ids, except the kinds that an import may change. */
export function statesOf(stage: PromotionStage, tenantId: number, ids?: string[]): Promise<States> {
  return stage.sql(
    `select stream_id, version, state::text from event_store.streams
     where tenant_id = $1 and kind not in ('tenant', 'taxcode', 'rateset')
       and ($2::uuid[] is null or stream_id = any($2)) order by 1`,
    [tenantId, ids],
  );
}

/** The numbers of the tenant's events that came from imports, by type. */
export function importedEvents(stage: PromotionStage, tenantId: number): Promise<object[]> {
  return stage.sql(
    `select type, count(*)::int as events from event_store.events
     where tenant_id = $1 and metadata ->> 'source' = 'import' and type <> 'ImportPromoted' group by 1 order by 1`,
    [tenantId],
  );
}

/**
 * From the import's first event to its announcement, nothing else was written to the tenant, and it was announced once.
 */
export async function expectUndisturbed(stage: PromotionStage, tenantId: number): Promise<void> {
  const announced = await stage.sql<{ position: string }>(
    `select position from event_store.events where tenant_id = $1 and type = 'ImportPromoted'`,
    [tenantId],
  );
  expect(announced).toHaveLength(1);
  const others = await stage.sql(
    `select type from event_store.events where tenant_id = $1 and metadata ->> 'source' is distinct from 'import'
       and position between (select min(position) from event_store.events
         where tenant_id = $1 and metadata ->> 'source' = 'import') and $2`,
    [tenantId, announced[0].position],
  );
  expect(others).toEqual([]);
}

/** The report's sums in pennies, by a column of ids. */
async function reported(api: ApiClient, by: string): Promise<Map<string, number>> {
  const { body } = await reportedWork(api, by);
  const rows = (body.data.work_item_listing as Json[]).filter((row) => row[by] !== null);
  return new Map(rows.map((row) => [row[by], pennies(row.totalBase)]));
}

/**
 * The report shows the figures of the imported firm, and the tenant's own beside them.
 * @param stream UUID of the tenant's stream
 * @param own pennies on the tenant's own matter
 */
export async function expectFigures(
  { source }: PromotionStage,
  api: ApiClient,
  stream: string,
  { matterId, employeeId, own }: Pick<Walked, 'matterId' | 'employeeId'> & { own: number },
): Promise<void> {
  const { work } = source.firm;
  const hex = (id: string) => id.split('_')[1];
  const byMatter = source.pennies(stream, 'Matter', work.byMatter).set(hex(matterId), own);
  expect(await reported(api, 'matterId')).toEqual(byMatter);
  const byEmployee = source.pennies(stream, 'Employee', work.byFeeEarner).set(hex(employeeId), own);
  expect(await reported(api, 'employeeId')).toEqual(byEmployee);
}

/**
 * The webhook received one message about the import, however often it was sent, and none about the imported records.
 */
export async function expectTold(
  stage: PromotionStage,
  { secret }: { secret: string },
  { accepted, unknown }: Petitioner,
): Promise<void> {
  await stage.delivered(accepted);
  const { received } = stage.receiver;
  for (const one of received) verify(one, secret);
  const isOfImport = ({ body }: { body: Json }) => body.type === 'import.promoted';
  const ids = received.filter(isOfImport).map(({ headers }) => headers['webhook-id']);
  expect(new Set(ids).size).toBe(1);
  const petitions = new Set([...accepted, ...unknown]);
  const others = received.filter((one) => !isOfImport(one) && !petitions.has(one.body.data.data?.name));
  expect(others.map(({ body }) => body)).toEqual([]);
}
