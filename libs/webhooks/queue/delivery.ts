import type { ClientBase, Pool } from 'pg';
import { type Id, type Kind, toId } from '#kernel/ids';

export const DeliveryState = { Pending: 0, Delivered: 1, Failed: 2 } as const;
export type DeliveryState = (typeof DeliveryState)[keyof typeof DeliveryState];
export const deliveryStateNames = ['Pending', 'Delivered', 'Failed'] as const;

/** The message about one event to one endpoint. It has no body: the body is made when the message is sent. */
export interface Message {
  tenant_id: number;
  webhook_id: string;
  event_id: string;
  type: string;
  sent_as: string;
  /** The kind of the record that the event is about, its id, and its version with the event. */
  kind: string;
  subject: string;
  version: number;
  /** JSON: names of the fields that changed. */
  changed: string;
  /** The actor that made the change. */
  source: string;
  occurred_at: Date;
  /** The event's position, as printPosition writes it; null for a message about no event of the store. */
  at: string | null;
}

/** The key of an endpoint in every table. The id alone is not enough: two tenants may have chosen the same id. */
export type EndpointRef = Pick<Message, 'tenant_id' | 'webhook_id'>;

/** A row of `webhooks.deliveries`. */
export interface DeliveryRow extends Message {
  request_id: string;
  state: DeliveryState;
  attempts: number;
  failures: number;
  due_at: Date;
  created_at: Date;
  finished_at: Date | null;
  status: number | null;
  error: string | null;
}

/** A delivery as fetched from the queue. */
export interface DueDelivery extends Message, Pick<DeliveryRow, 'request_id' | 'failures'> {
  /** The time as PostgreSQL's text: a Date would lose the microseconds. */
  due_at: string;
}

/** All attempts, as a table. The first attempt of a delivery is in the delivery's own row when it succeeded. */
export const ATTEMPTS = `(
  select tenant_id, webhook_id, event_id, number, at, milliseconds, status, error, detail, response, address
  from webhooks.attempts
  union all
  select tenant_id, webhook_id, event_id, 1, first_at, first_milliseconds, first_status, null, first_detail,
    first_response, first_address
  from webhooks.deliveries where first_at is not null)`;

/**
 * Wipes from an attempt, `a`, the receiver's own words, which may repeat what it was sent: its answer, and the address
 * of a redirect.
 */
export const WIPED = `response = null, detail = case when a.error = 'redirect' then null else a.detail end`;
export const HAS_WORDS = `(a.response is not null or (a.error = 'redirect' and a.detail is not null))`;

/**
 * A receiver's words are stored only within this time after their attempt began: later an erasure may have been
 * forgotten.
 */
export const WORDS_WITHIN_MS = 60_000;

/** The header `webhook-id`, which is also the id in the body: the same at every endpoint and on every attempt. */
export function messageId(eventId: string): string {
  return `evt_${eventId.replaceAll('-', '')}`;
}

export function deliveryId(eventId: string): Id<'delivery'> {
  return toId('delivery', eventId);
}

/** A UUID that sorts before every UUIDv7 of an instant. The ids of events are UUIDv7. */
export function firstUuidOf(instant: Date): string {
  const hex = instant.getTime().toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`;
}

export function recordId({ kind, subject }: Pick<Message, 'kind' | 'subject'>): Id {
  return toId(kind as Kind, subject);
}

/** An EndpointRef as one text, by which workers key their maps. */
export function endpointKey({ tenant_id, webhook_id }: EndpointRef): string {
  return `${tenant_id}/${webhook_id}`;
}

const columns = `tenant_id, webhook_id, event_id, type, sent_as, kind, subject, version, changed, source, occurred_at, at`;

/** Which existing deliveries are queued again. */
export type Again = 'none' | 'failed' | 'all';

/** A delivery that waits for a retry counts as not delivered: its next attempt may be a day away. */
const WAITS = '(d.state = 0 and d.failures > 0)';

const conditions: Record<Again, string | undefined> = {
  none: undefined,
  failed: `(d.state = 2 or ${WAITS})`,
  all: `(d.state <> 0 or ${WAITS})`,
};

/** SQL: the error of a delivery, `d`, that is queued again. What was no error of an attempt counts no more. */
export const ERROR_AGAIN = `nullif(d.error, 'webhook_disabled')`;

/**
 * Queues messages.
 * @param again which deliveries that exist already begin anew, from the start of their retry schedule
 */
export async function queueMessages(
  client: ClientBase | Pool,
  messages: readonly Message[],
  now: Date,
  again: Again = 'none',
): Promise<void> {
  if (messages.length === 0) return;
  const condition = conditions[again];
  const repeat = `update set state = 0, failures = 0, due_at = excluded.due_at, finished_at = null, error = ${ERROR_AGAIN},
    sent_as = excluded.sent_as where ${condition}`;
  await client.query({
    name: `webhooks.queue.${again}`,
    text: `insert into webhooks.deliveries as d (${columns}, due_at, created_at)
      select ${columns}, $2, $2 from json_to_recordset($1) m (tenant_id integer, webhook_id uuid, event_id uuid,
        type text, sent_as text, kind text, subject uuid, version integer, changed text, source text,
        occurred_at timestamptz, at text)
      order by tenant_id, webhook_id, event_id
      on conflict (tenant_id, webhook_id, event_id) do ${condition ? repeat : 'nothing'}`,
    values: [JSON.stringify(messages), now],
  });
}

/** How many deliveries a statement ends when it is to be short. */
export const PART = 5_000;

/**
 * Which waiting deliveries are ended. `some`: a part, for a short transaction, and no row that another transaction has
 * locked.
 */
export type Which = 'some' | 'all';

/**
 * SQL: the waiting deliveries of a webhook. The plus in `+state` makes PostgreSQL find the rows by their keys, and not
 * among all waiting deliveries.
 * @param condition what must hold for a part to be chosen: it may be ended in a transaction that has locked no webhook
 */
function waiting(which: Which, condition: string): string {
  const part = which === 'some' ? `and ${condition} limit ${PART} for update skip locked` : '';
  return `tenant_id = $1 and webhook_id = $2 and +state = 0 and event_id = any(array(
    select event_id from webhooks.deliveries where tenant_id = $1 and webhook_id = $2 and state = 0 ${part}))`;
}

const THE_WEBHOOK = 'select from webhooks.endpoints where tenant_id = $1 and id = $2';

/**
 * Fails the deliveries that wait for a disabled webhook; a replay sends them.
 * @param which `some` when the webhook is disabled: this does not wait for a result that is being written down, as that
 * worker may wait for this transaction in turn. The rest fails within a minute, or earlier when the webhook is enabled
 * again: first part by part, and in the transaction that enables it `all` that is left
 * @returns how many were failed
 */
export async function failWaiting(
  client: ClientBase | Pool,
  { tenant_id, webhook_id }: EndpointRef,
  now: Date,
  which: Which,
): Promise<number> {
  const { rowCount } = await client.query(
    `update webhooks.deliveries set state = 2, finished_at = $3, error = 'webhook_disabled'
     where ${waiting(which, `exists (${THE_WEBHOOK} and not enabled)`)}`,
    [tenant_id, webhook_id, now],
  );
  return rowCount ?? 0;
}

/**
 * Drops deliveries that wait for a removed webhook whose id is registered again: they are not for the new one, as other
 * events, at another address, were subscribed to then. Finished deliveries stay in the log. @returns how many were dropped
 */
export async function dropWaiting(
  client: ClientBase | Pool,
  { tenant_id, webhook_id }: EndpointRef,
  which: Which,
): Promise<number> {
  const { rows } = await client.query<{ dropped: number }>(
    `with dropped as (
       delete from webhooks.deliveries where ${waiting(which, `not exists (${THE_WEBHOOK})`)} returning event_id
     ), attempts as (
       delete from webhooks.attempts a using dropped d
       where a.tenant_id = $1 and a.webhook_id = $2 and a.event_id = d.event_id)
     select count(*)::int as dropped from dropped`,
    [tenant_id, webhook_id],
  );
  return rows[0].dropped;
}
