import type { ClientBase, Pool } from 'pg';
import { conflict, notFound } from '#kernel/errors';
import { toUuid } from '#kernel/ids';
import type { Change } from '#platform/http/repeatable-requests';
import type { RequestContext } from '#platform/request-context';
import { type SealedColumn, sealedText } from '#platform/resealing';
import { requireMatch } from '#platform/version-match';
import { notices } from '../events/event-catalogue';
import { endpointKey, failWaiting } from '../queue/delivery';
import { ENDPOINT_COLUMNS, type EndpointRow, webhookId } from './endpoint';

const MOST = 20;

const KEY = ['tenant_id', 'id'];

export const sealedWebhookSecrets: SealedColumn[] = [
  sealedText('webhooks.endpoints', KEY, 'secret'),
  {
    table: 'webhooks.endpoints',
    key: KEY,
    column: 'former_secrets',
    reseal(secrets, stored) {
      const before = stored as EndpointRow['former_secrets'];
      const sealed = before.map(({ secret }) => secrets.reseal(secret));
      if (sealed.every((secret) => secret === undefined)) return undefined;
      return JSON.stringify(before.map((each, index) => ({ ...each, secret: sealed[index] ?? each.secret })));
    },
  },
];

/** All webhooks of a tenant, or the one with the id, the oldest first. */
export async function endpointsOf(
  database: ClientBase | Pool,
  tenantId: number,
  id?: string,
): Promise<EndpointRow[]> {
  const { rows } = await database.query<EndpointRow>(
    `select ${ENDPOINT_COLUMNS} from webhooks.endpoints e
     join webhooks.lanes l on l.tenant_id = e.tenant_id and l.webhook_id = e.id
     where e.tenant_id = $1 and ($2::uuid is null or e.id = $2) order by e.created_at, e.id`,
    [tenantId, id === undefined ? null : toUuid(id)],
  );
  return rows;
}

/** The key by which workers know the webhook. */
export function endpointIn({ tenant }: RequestContext, id: string): string {
  return endpointKey({ tenant_id: tenant.id, webhook_id: toUuid(id) });
}

/** The webhook with that id, locked until the transaction of the request ends. */
export async function locked(
  { client }: Change,
  { tenant }: RequestContext,
  id: string,
): Promise<EndpointRow | undefined> {
  const { rowCount } = await client.query(
    'select from webhooks.endpoints where tenant_id = $1 and id = $2 for update',
    [tenant.id, toUuid(id)],
  );
  if (rowCount === 0) return undefined;
  const [row] = await endpointsOf(client, tenant.id, id);
  return row;
}

/**
 * The webhook that a request changes, locked.
 * @throws DomainError `not_found`; `version_mismatch` when If-Match names another version
 */
export async function addressed(change: Change, context: RequestContext, id: string): Promise<EndpointRow> {
  const row = await locked(change, context, id);
  if (!row) throw notFound('webhook');
  requireMatch(context, row.version, 'The webhook is');
  return row;
}

/**
 * The permissions that bound what a webhook may be sent of its integration's grant: those of the token, and that of
 * notices about webhooks, as a caller who changes a webhook is shown it anyway.
 */
function scopeOf(permissions: ReadonlySet<string>): string[] {
  return [...permissions, notices.test.permission];
}

export type Settable = Pick<
  EndpointRow,
  'url' | 'events' | 'payload_mode' | 'description' | 'secret' | 'enabled'
>;

/**
 * Makes registrations of a tenant's webhooks wait for each other: webhooks are counted, and two may be given the same
 * id.
 */
export async function lockWebhooks({ client }: Change, { tenant }: RequestContext): Promise<void> {
  await client.query(`select pg_advisory_xact_lock(hashtext('webhooks of a tenant'), $1)`, [tenant.id]);
}

/**
 * Lets these tenants register no new webhook until the transaction ends. A new webhook could have the id of one that is
 * removed meanwhile, and would be sent what is being queued for that one.
 */
export async function keepOutNewWebhooks(client: ClientBase, tenants: readonly number[]): Promise<void> {
  await client.query({
    name: 'webhooks.keep_out_new',
    text: `select pg_advisory_xact_lock_shared(hashtext('webhooks of a tenant'), t) from unnest($1::int[]) t`,
    values: [tenants],
  });
}

/**
 * Adds a webhook; the caller holds the tenant's lock.
 * @throws DomainError `too_many_webhooks` at the tenant's limit
 */
export async function insertEndpoint(
  { client, now }: Change,
  { tenant, integrationId, actor, permissions }: RequestContext,
  id: string,
  given: Settable,
): Promise<EndpointRow> {
  const { rows } = await client.query<{ count: number }>(
    'select count(*)::int as count from webhooks.endpoints where tenant_id = $1',
    [tenant.id],
  );
  if (rows[0].count >= MOST)
    throw conflict('too_many_webhooks', `A tenant has at most ${MOST} webhooks; remove one first.`);
  const { url, events, payload_mode, description, secret, enabled } = given;
  await client.query(
    `with added as (
       insert into webhooks.endpoints (tenant_id, id, integration_id, url, events, payload_mode, description, secret,
         enabled, disabled_at, disabled_reason, since_epoch, created_at, created_by, updated_at, updated_by, scope)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, case when not $9 then $10::timestamptz end,
         case when not $9 then 'owner' end, (select max(epoch) from event_store.epochs), $10, $11, $10, $11, $12)
       returning tenant_id, id)
     insert into webhooks.lanes (tenant_id, webhook_id) select * from added`,
    [
      tenant.id,
      toUuid(id),
      integrationId,
      url,
      events,
      payload_mode,
      description,
      secret,
      enabled,
      now,
      actor,
      scopeOf(permissions),
    ],
  );
  const [row] = await endpointsOf(client, tenant.id, id);
  return row;
}

/**
 * Changes a webhook that the caller has locked. The integration that changes it vouches for it from then on: the
 * webhook is sent only what that integration, and the token of the change, may read.
 */
export async function updateEndpoint(
  { client, now }: Change,
  { integrationId, actor, permissions }: RequestContext,
  before: EndpointRow,
  changes: Partial<Settable & Pick<EndpointRow, 'paused' | 'former_secrets'>>,
): Promise<EndpointRow> {
  const next = { ...before, ...changes };
  const isSwitchedOn = next.enabled && !before.enabled;
  const isSwitchedOff = !next.enabled && before.enabled;
  const isResumed = before.paused && !next.paused;
  await client.query(
    `update webhooks.endpoints
     set integration_id = $3, url = $4, events = $5, payload_mode = $6, description = $7, secret = $8, enabled = $9,
       paused = $10, former_secrets = $11, version = version + 1, updated_at = $12, updated_by = $13, scope = $15,
       disabled_at = case when $14 then $12 else disabled_at end,
       disabled_reason = case when $14 then 'owner' when $9 then null else disabled_reason end
     where tenant_id = $1 and id = $2`,
    [
      before.tenant_id,
      before.id,
      integrationId,
      next.url,
      next.events,
      next.payload_mode,
      next.description,
      next.secret,
      next.enabled,
      next.paused,
      JSON.stringify(next.former_secrets),
      now,
      actor,
      isSwitchedOff,
      scopeOf(permissions),
    ],
  );
  const named = { tenant_id: before.tenant_id, webhook_id: before.id };
  if (isSwitchedOff) await failWaiting(client, named, now, 'some');
  if (isSwitchedOn) {
    // Ends replays that no worker has ended while the webhook was disabled. This comes first: a replay in hand may be
    // queueing deliveries that are failed next.
    await client.query(
      `update webhooks.replays set finished_at = $3
       where tenant_id = $1 and webhook_id = $2 and finished_at is null`,
      [before.tenant_id, before.id, now],
    );
    await failWaiting(client, named, now, 'all');
  }
  // The receiver starts anew: earlier failures have no weight any more.
  if (isSwitchedOn || isResumed || next.url !== before.url)
    await client.query(
      `update webhooks.lanes set failures = 0, open_until = null, failing_since = null, warnings = 0
       where tenant_id = $1 and webhook_id = $2`,
      [before.tenant_id, before.id],
    );
  const [row] = await endpointsOf(client, before.tenant_id, webhookId(before));
  return row;
}
