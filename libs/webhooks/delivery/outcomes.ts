import { setTimeout as delay } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import { Clock } from '#kernel/clock';
import { logTrouble } from '#platform/database/trouble-log';
import { DeliveryState, WORDS_WITHIN_MS } from '../queue/delivery';
import type { Item, Lane } from './lanes/lane';
import { LaneLeases } from './lanes/lane-leases';
import { QueuePools } from './queue-pools';

/** The result of an attempt, and what comes next for its delivery. */
export interface Finished {
  item: Item;
  /** The URL that the attempt was sent to, and when the webhook was registered that had it. */
  url: string;
  registeredAt: Date;
  at: Date;
  milliseconds: number;
  status?: number;
  error?: string;
  detail?: string;
  response?: string;
  address?: string;
  state: DeliveryState;
  failures: number;
  /** When the next attempt is due. After a 410: when it would be due at another address. */
  due_at?: Date;
}

const RETRY_MS = 500;
/** How long results are gathered before they are written: a write by itself costs as much as twenty rows. */
const GATHER_MS = 20;
/** When this many results wait to be written down, or answers of this many characters, no more deliveries begin. */
const MOST_UNWRITTEN = 2_000;
const MOST_UNWRITTEN_CHARS = 8 * 1024 * 1024;
/** Characters of answers that one statement writes. In its JSON a control character becomes six. */
const AT_ONCE_CHARS = 2 * 1024 * 1024;
/** The delivery was queued again since it was fetched: its retry schedule has begun anew. */
const AGAIN = 'd.due_at <> g.was_due';
/** The delivery stays in its state: it is tried again, or was queued again since and did not reach the present address. */
const STAYS = `(g.outcome = 0 or (${AGAIN} and (g.outcome <> 1 or g.is_elsewhere)))`;

/**
 * Writes results and standings.
 * The deliveries are found by their keys: the plus in `+state` keeps PostgreSQL from the index of all waiting
 * deliveries. When statistics were gathered while nothing waited, the planner took that index for all but empty, and
 * each statement scanned all of it.
 * The statement has no name, so that it is planned for the table as it is: a plan made while there were few deliveries
 * would scan all of them.
 * A delivery that was under way when its webhook was disabled has failed by then: it is not tried again, but its result
 * is stored.
 * A failure whose attempt is in the log already was written before, and the database's answer was lost. `offset 0`
 * makes PostgreSQL look for that attempt by its key, and not read all attempts ahead.
 * A result for a former registration of the webhook is nobody's any more. That of a former address is the delivery's, but a
 * 410 does not speak for the present address: the delivery is tried there.
 * What failed for good before its webhook was disabled, and is written after that, has failed when it was disabled: a
 * 410 is the reason for that, and a replay since then sends the event too.
 */
export const WRITE = `
  with given as (
    select r.*, e.url <> r.url as is_elsewhere,
      case when r.state = 2 and r.due_at is not null and e.url <> r.url then 0 else r.state end as outcome,
      case when r.state = 2 then e.disabled_at end as disabled_at
    from json_to_recordset($1) r (tenant_id integer, webhook_id uuid, event_id uuid, registered_at timestamptz, url text,
      was_due timestamptz, at timestamptz, milliseconds integer, status smallint, error text, detail text, response text,
      address text, state smallint, failures smallint, due_at timestamptz)
    join webhooks.endpoints e on (e.tenant_id, e.id, e.created_at) = (r.tenant_id, r.webhook_id, r.registered_at)
  ), done as (
    update webhooks.deliveries d
    set state = case when ${STAYS} then d.state else g.outcome end, attempts = d.attempts + 1,
      failures = case when ${AGAIN} and ${STAYS} then d.failures else g.failures end,
      due_at = case when g.outcome = 0 and not ${AGAIN} then g.due_at else d.due_at end,
      finished_at = case when ${STAYS} then d.finished_at
        else greatest(g.at + g.milliseconds * interval '1 millisecond', g.disabled_at) end,
      status = g.status, error = g.error,
      first_at = case when d.attempts > 0 then d.first_at when g.state = 1 then g.at end,
      first_milliseconds = case when d.attempts > 0 then d.first_milliseconds when g.state = 1 then g.milliseconds end,
      first_status = case when d.attempts > 0 then d.first_status when g.state = 1 then g.status end,
      first_detail = case when d.attempts > 0 then d.first_detail when g.state = 1 then g.detail end,
      first_response = case when d.attempts > 0 then d.first_response when g.state = 1 then g.response end,
      first_address = case when d.attempts > 0 then d.first_address when g.state = 1 then g.address end
    from given g
    where (d.tenant_id, d.webhook_id, d.event_id) = (g.tenant_id, g.webhook_id, g.event_id)
      and (+d.state = 0 or d.error = 'webhook_disabled')
      and (g.state = 1 and not g.is_elsewhere or d.first_at is distinct from g.at and not exists (
        select from webhooks.attempts a
        where (a.tenant_id, a.webhook_id, a.event_id) = (g.tenant_id, g.webhook_id, g.event_id) and a.at = g.at offset 0))
    returning d.attempts, g.*
  ), standings as (
    update webhooks.lanes l set failures = g.failures, open_until = g.open_until, failing_since = g.failing_since,
      warnings = case when g.failing_since <= l.failing_since then l.warnings else 0 end
    from json_to_recordset($2) g (tenant_id integer, webhook_id uuid, created_at timestamptz, url text, failures integer,
      open_until timestamptz, failing_since timestamptz)
    join webhooks.endpoints e on (e.tenant_id, e.id, e.created_at, e.url) = (g.tenant_id, g.webhook_id, g.created_at, g.url)
    where (l.tenant_id, l.webhook_id) = (g.tenant_id, g.webhook_id) and l.leased_by = $3
  )
  insert into webhooks.attempts (tenant_id, webhook_id, event_id, number, at, milliseconds, status, error, detail,
    response, address)
  select tenant_id, webhook_id, event_id, attempts, at, milliseconds, status, error, detail, response, address
  from done where attempts > 1 or state <> 1
  on conflict do nothing`;

/** Writes results of attempts: all that ended within a few milliseconds, in one transaction. */
@Injectable()
export class Outcomes {
  private readonly log = new Logger(Outcomes.name);
  private waiting: Finished[] = [];
  private unwritten = 0;
  private unwrittenChars = 0;
  private writing?: Promise<void>;
  private stopping = false;

  constructor(
    private readonly pools: QueuePools,
    private readonly leases: LaneLeases,
    private readonly clock: Clock,
  ) {}

  /** Whether no more deliveries should begin until some results were written. */
  get isFull(): boolean {
    return this.unwritten >= MOST_UNWRITTEN || this.unwrittenChars >= MOST_UNWRITTEN_CHARS;
  }

  /** @param written runs once the batch with this result is written */
  add(finished: Finished, written: (all: readonly Finished[]) => void): void {
    this.waiting.push(finished);
    this.unwritten++;
    this.unwrittenChars += charsOf(finished);
    this.writing ??= this.write(written);
  }

  /** Resolves when all results are written. A delivery whose result can no longer be written is sent again. */
  async end(): Promise<void> {
    this.stopping = true;
    await this.writing;
  }

  private async write(written: (all: readonly Finished[]) => void): Promise<void> {
    do {
      await delay(GATHER_MS);
      const gathered = this.waiting.splice(0);
      while (gathered.length > 0) {
        const batch = gathered.splice(0, countAtOnce(gathered));
        await this.persist(batch);
        this.unwritten -= batch.length;
        for (const finished of batch) this.unwrittenChars -= charsOf(finished);
        written(batch);
      }
    } while (this.waiting.length > 0);
    // Cleared in the same turn, so that a result a moment later begins a new write.
    this.writing = undefined;
  }

  private async persist(batch: readonly Finished[]): Promise<void> {
    const lanes = [...new Set(batch.map(({ item }) => item.lane))].filter(({ isChanged }) => isChanged);
    for (;;) {
      try {
        const standings = lanes.map((lane) => ({ lane, standing: lane.standing }));
        await this.insert(batch, lanes);
        // Not earlier: a lane that is renewed meanwhile would take over the stored standing from before this write.
        for (const { lane, standing } of standings) if (lane.standing === standing) lane.isChanged = false;
        return;
      } catch (error) {
        const msg = `Results of deliveries are not written yet: ${(error as Error).message}`;
        logTrouble(this.log, { msg, deliveries: batch.length }, error);
        if (this.stopping) return;
        await delay(RETRY_MS);
      }
    }
  }

  private async insert(batch: readonly Finished[], lanes: readonly Lane[]): Promise<void> {
    const standings = lanes.map(({ config, standing }) => ({
      tenant_id: config.tenant_id,
      webhook_id: config.webhook_id,
      created_at: config.created_at,
      url: config.url,
      failures: standing.failures,
      open_until: standing.openUntil,
      failing_since: standing.failingSince,
    }));
    const now = this.clock.now();
    const rows = batch.map((finished) => rowOf(finished, now));
    const values = [JSON.stringify(rows), JSON.stringify(standings), this.leases.worker];
    await this.pools.queue.query(WRITE, values);
  }
}

function charsOf({ response }: Finished): number {
  return response?.length ?? 0;
}

/** How many of the results one statement writes, at least one. */
function countAtOnce(results: readonly Finished[]): number {
  let chars = 0;
  const last = results.findIndex((finished) => (chars += charsOf(finished)) >= AT_ONCE_CHARS);
  return last < 0 ? results.length : last + 1;
}

/** Undefined values are absent in JSON, and null to the statement. */
function rowOf(finished: Finished, now: Date): object {
  const { tenant_id, webhook_id, event_id, due_at: was_due } = finished.item.delivery;
  const { url, registeredAt, at, milliseconds, status, error, address, state, failures, due_at } = finished;
  const isLate = now.getTime() - at.getTime() > WORDS_WITHIN_MS;
  const { detail, response } = isLate ? withoutWords(finished) : finished;
  return {
    tenant_id,
    webhook_id,
    event_id,
    registered_at: registeredAt,
    url,
    was_due,
    at,
    milliseconds,
    status,
    error,
    detail,
    response,
    address,
    state,
    failures,
    due_at,
  };
}

/**
 * Leaves out what the receiver wrote. A worker that was frozen for long, or could not reach the database, cannot know
 * whether the person that it is about was erased meanwhile.
 */
function withoutWords({ error, detail }: Finished): Pick<Finished, 'detail' | 'response'> {
  return error === 'redirect' ? {} : { detail };
}
