import type { ClientBase, Pool } from 'pg';
import { type Id, type Kind, toId } from '#kernel/ids';

export const DeliveryState = { Pending: 0, Delivered: 1, Failed: 2 } as const;
export type DeliveryState = (typeof DeliveryState)[keyof typeof DeliveryState];
export const deliveryStateNames = ['Pending', 'Delivered', 'Failed'] as const;

/** What is sent to one endpoint of one event; without a body, which is made when it is sent. */
export interface Message {
  tenant_id: number;
  webhook_id: string;
  event_id: string;
  type: string;
  sent_as: string;
  /** The record that it is about, and its version with the event. */
  kind: string;
  subject: string;
  version: number;
  /** JSON: names of fields. */
  changed: string;
  /** Who made the change. */
  source: string;
  occurred_at: Date;
  /** As printPosition has it; null for what is no event of the store. */
  at: string | null;
}

/** What an endpoint is called in every table: two tenants may have chosen the same id. */
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

/** All attempts, as a table: the first of a delivery is in its own row when it succeeded. */
export const ATTEMPTS = `(
  select tenant_id, webhook_id, event_id, number, at, milliseconds, status, error, detail, response, address
  from webhooks.attempts
  union all
  select tenant_id, webhook_id, event_id, 1, first_at, first_milliseconds, first_status, null, first_detail,
    first_response, first_address
  from webhooks.deliveries where first_at is not null)`;

/** What an attempt, `a`, holds of a receiver's own words, which may repeat what it was sent: its answer, and to where it redirects. */
export const WIPED = `response = null, detail = case when a.error = 'redirect' then null else a.detail end`;
export const HAS_WORDS = `(a.response is not null or (a.error = 'redirect' and a.detail is not null))`;

/** A receiver's words are written down so soon after their attempt began, or never: later an erasure may have been forgotten. */
export const WORDS_WITHIN_MS = 60_000;

/** `webhook-id`, and the id of the body: the same at every endpoint and on every attempt. */
export function messageId(eventId: string): string {
  return `evt_${eventId.replaceAll('-', '')}`;
}

export function deliveryId(eventId: string): Id<'delivery'> {
  return toId('delivery', eventId);
}

/** A UUID that sorts before every UUIDv7 of an instant; event ids are such. */
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

/** Which deliveries are queued again. */
export type Again = 'none' | 'failed' | 'all';

/** What waits for its next attempt was not delivered, and that may be a day away. */
const WAITS = '(d.state = 0 and d.failures > 0)';

const conditions: Record<Again, string | undefined> = {
  none: undefined,
  failed: `(d.state = 2 or ${WAITS})`,
  all: `(d.state <> 0 or ${WAITS})`,
};

/**
 * Queues messages.
 * @param again those that are there already begin anew, from the start of their schedule
 * @returns how many were queued
 */
export async function queueMessages(
  client: ClientBase | Pool,
  messages: readonly Message[],
  now: Date,
  again: Again = 'none',
): Promise<number> {
  if (messages.length === 0) return 0;
  const condition = conditions[again];
  const repeat = `update set state = 0, failures = 0, due_at = excluded.due_at, finished_at = null,
    sent_as = excluded.sent_as where ${condition}`;
  const { rowCount } = await client.query({
    name: `webhooks.queue.${again}`,
    text: `insert into webhooks.deliveries as d (${columns}, due_at, created_at)
      select ${columns}, $2, $2 from json_to_recordset($1) m (tenant_id integer, webhook_id uuid, event_id uuid,
        type text, sent_as text, kind text, subject uuid, version integer, changed text, source text,
        occurred_at timestamptz, at text)
      order by tenant_id, webhook_id, event_id
      on conflict (tenant_id, webhook_id, event_id) do ${condition ? repeat : 'nothing'}`,
    values: [JSON.stringify(messages), now],
  });
  return rowCount ?? 0;
}

/** Which of those that wait: so many that their transaction is short, without waiting for others; or all. */
const waiting = { some: 'limit 5000 for update skip locked', all: '' } as const;

/**
 * What waits for a webhook that is disabled has failed: a replay sends it. With the plus, the rows are found by their
 * keys, and not among all that wait.
 * @param which `some` when it is disabled: a result that is being written down is not waited for, as its worker may wait
 * for this in turn. What is left fails within a minute, and before that when the webhook is enabled again: `all`
 */
export async function failWaiting(
  client: ClientBase,
  { tenant_id, webhook_id }: EndpointRef,
  now: Date,
  which: keyof typeof waiting,
): Promise<void> {
  await client.query(
    `update webhooks.deliveries set state = 2, finished_at = $3, error = 'webhook_disabled'
     where tenant_id = $1 and webhook_id = $2 and +state = 0 and event_id = any(array(
       select event_id from webhooks.deliveries where tenant_id = $1 and webhook_id = $2 and state = 0
       ${waiting[which]}))`,
    [tenant_id, webhook_id, now],
  );
}
