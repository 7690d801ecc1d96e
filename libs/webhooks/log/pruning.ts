import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { MAX } from 'uuid';
import { Clock } from '#kernel/clock';
import { Rounds } from '#kernel/rounds';
import { Config } from '#platform/config';
import { WriteDatabase } from '#platform/database';
import { FailureWatch } from '../delivery/failure-watch';
import { FEED_MS } from '../events/event-feed';
import { type EndpointRef, firstUuidOf } from '../queue/delivery';
import { WebhookRequests } from '../webhook-requests';
import { ErasedAnswers } from './erased-answers';

const EVERY_MS = 60_000;
const CHUNK = 5_000;
const DAY_MS = 86_400_000;

type Logged = EndpointRef & { is_removed: boolean };

/** A query for each endpoint that has rows in a table. It steps through the key, and does not scan the table. */
const webhooksOf = (table: string) => `
  with recursive w as (
    (select tenant_id, webhook_id from ${table} order by tenant_id, webhook_id limit 1)
    union all
    select n.tenant_id, n.webhook_id from w cross join lateral (
      select d.tenant_id, d.webhook_id from ${table} d
      where (d.tenant_id, d.webhook_id) > (w.tenant_id, w.webhook_id) order by d.tenant_id, d.webhook_id limit 1) n
  )
  select * from w`;
/**
 * The webhooks that the log has rows of. An attempt that was under way when its delivery was removed remains without
 * it.
 */
const WEBHOOKS_OF_LOG = `
  select w.*, e.id is null as is_removed
  from ((${webhooksOf('webhooks.deliveries')}) union (${webhooksOf('webhooks.attempts')})) w
  left join webhooks.endpoints e on e.tenant_id = w.tenant_id and e.id = w.webhook_id`;

/**
 * Keeps the log of deliveries within its retention, a chunk at a time so that the feed is never held back, and repeats
 * what else is done for webhooks every minute.
 */
@Injectable()
export class WebhookPruning implements OnApplicationShutdown {
  private readonly log = new Logger(WebhookPruning.name);
  /** Each task has rounds of its own: one that fails, or that takes minutes, holds up no other. */
  private readonly rounds = [
    this.repeated(() => this.watch.sweep(), 'Failing webhooks were not looked at'),
    this.repeated(() => this.closeDisabled(), 'Deliveries of disabled webhooks still wait'),
    this.repeated(() => this.answers.wipeOver(), 'Answers are not wiped again yet'),
    this.repeated(() => this.prune(), 'The log of deliveries was not pruned'),
    this.repeated(() => this.requests.forget(), 'Idempotency keys of webhooks were not deleted'),
  ];

  constructor(
    private readonly database: WriteDatabase,
    private readonly watch: FailureWatch,
    private readonly requests: WebhookRequests,
    private readonly clock: Clock,
    private readonly config: Config,
    private readonly answers: ErasedAnswers,
  ) {}

  start(): void {
    for (const each of this.rounds) each.start(EVERY_MS);
  }

  /** Does not wait for rounds in progress: pruning a large log takes minutes. */
  onApplicationShutdown(): void {
    for (const each of this.rounds) void each.stop();
  }

  /**
   * Fails the deliveries that wait for a disabled webhook; a replay sends them. The plus in `+state` makes PostgreSQL
   * find the rows of a chunk by their keys, and not among all waiting deliveries. Rows that a request has locked are
   * left for the next run, here and below: the request may be about to wait for rows that are locked here.
   */
  async closeDisabled(): Promise<void> {
    await this.chunks(
      `with part as materialized (
         select d.tenant_id, d.webhook_id, d.event_id from webhooks.endpoints e
         join webhooks.deliveries d on d.tenant_id = e.tenant_id and d.webhook_id = e.id and d.state = 0
         where not e.enabled limit $2 for update of d skip locked)
       update webhooks.deliveries d set state = 2, finished_at = $1, error = 'webhook_disabled'
       from part p
       where +d.state = 0 and (d.tenant_id, d.webhook_id, d.event_id) = (p.tenant_id, p.webhook_id, p.event_id)`,
      [this.clock.now()],
    );
  }

  /**
   * Removes the deliveries of removed webhooks, and those past their retention. @returns how many deliveries were
   * removed
   */
  async prune(): Promise<number> {
    const oldest = new Date(this.clock.now().getTime() - this.config.WEBHOOKS_LOG_DAYS * DAY_MS);
    const { rows } = await this.database.pool.query<Logged>(WEBHOOKS_OF_LOG);
    let removed = 0;
    for (const { tenant_id, webhook_id, is_removed } of rows) {
      const before = is_removed ? MAX : firstUuidOf(oldest);
      // The id may have been registered again meanwhile.
      const unless = is_removed
        ? 'and not exists (select from webhooks.endpoints where tenant_id = $1 and id = $2)'
        : '';
      const range = [tenant_id, webhook_id, before];
      for (const table of ['attempts', 'deliveries']) {
        const count = await this.chunks(
          `delete from webhooks.${table} where ctid = any(array(
             select ctid from webhooks.${table}
             where tenant_id = $1 and webhook_id = $2 and event_id < $3 ${unless} limit $4
             for update skip locked))`,
          range,
        );
        if (table === 'deliveries') removed += count;
      }
    }
    // The feed of events may go back further than the log of deliveries.
    const told = new Date(Math.min(oldest.getTime(), this.clock.now().getTime() - FEED_MS));
    await this.database.pool.query(
      `delete from webhooks.hours h
       using (select partition, max(hour) as hour from webhooks.hours where hour <= $1 group by partition) last
       where h.partition = last.partition and h.hour < last.hour`,
      [told],
    );
    await this.database.pool.query('delete from webhooks.replays where finished_at < $1', [oldest]);
    return removed;
  }

  private repeated(task: () => Promise<unknown>, failure: string): Rounds {
    return new Rounds(task, (error) => this.log.warn(`${failure}: ${error.message}`));
  }

  private async chunks(sql: string, values: readonly unknown[]): Promise<number> {
    for (let total = 0; ; ) {
      const { rowCount } = await this.database.pool.query(sql, [...values, CHUNK]);
      total += rowCount ?? 0;
      if ((rowCount ?? 0) < CHUNK) return total;
    }
  }
}
