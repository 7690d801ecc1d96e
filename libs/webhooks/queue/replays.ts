import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import type { ClientBase } from 'pg';
import { TenantFeed } from '#event-store/feed/tenant-feed';
import { parsePosition } from '#event-store/position';
import { Clock } from '#kernel/clock';
import { Rounds } from '#kernel/rounds';
import { WriteDatabase } from '#platform/database';
import { endpointKey, queueMessages } from './delivery';
import { messagesFor, SUBSCRIBED, type Subscribed } from './fan-out';
import { QueueSignal } from './queue-signal';

const EVERY_MS = 1_000;
const CHUNK = 500;
/** No more is queued for a webhook with this many due deliveries: new events would have to wait for all of them. */
const MOST_DUE = 2_000;
/** Events of a period may stand this far behind later events in the feed. */
const SLACK_MS = 600_000;
/**
 * A part with this many events, all of them later than a period, ends its replay. A few may have been recorded by a
 * clock that ran ahead.
 */
const LATER = 100;

interface ReplayRow extends Subscribed {
  /** The id of the replay, in place of the endpoint's. */
  id: string;
  /** The tenant's id; present even when the webhook may no longer be sent anything. */
  owner: number;
  webhook_id: string;
  partition: number;
  since: Date;
  until: Date;
  mode: 'failed' | 'all';
  at: string;
}

/** Goes through the feed for the requested replays, one part in each transaction. */
@Injectable()
export class Replays implements OnApplicationShutdown {
  private readonly log = new Logger(Replays.name);
  private readonly rounds = new Rounds(
    () => this.run(),
    (error) => this.log.warn(`A replay is held up: ${error.message}`),
  );
  private stopping = false;

  constructor(
    private readonly database: WriteDatabase,
    private readonly feed: TenantFeed,
    private readonly signal: QueueSignal,
    private readonly clock: Clock,
  ) {}

  start(): void {
    this.rounds.start(EVERY_MS);
  }

  async onApplicationShutdown(): Promise<void> {
    this.stopping = true;
    await this.rounds.stop();
  }

  /** Carries on all open replays, turn by turn: a replay that is long or cannot go on delays no other. */
  async run(): Promise<void> {
    const failed: string[] = [];
    while (!this.stopping && (await this.turn(failed))) {
      // One part of each replay a turn.
    }
  }

  /**
   * Queues the next part of each replay, except of those in `failed`, to which further failures are added. @returns
   * false when no replay went on
   */
  private async turn(failed: string[]): Promise<boolean> {
    const had = [...failed];
    let wentOn = false;
    while (!this.stopping) {
      const before = had.length;
      try {
        if (!(await this.advance(had))) break;
        wentOn = true;
      } catch (error) {
        // The failure is not that of one replay: the next would fare no better.
        if (had.length === before) throw error;
        failed.push(had.at(-1)!);
        this.log.warn(`A replay is held up: ${(error as Error).message}`);
      }
    }
    return wentOn;
  }

  /**
   * Queues the next part of the oldest replay that may go on and that no other worker has locked.
   * @param had replays that have had their turn; the one taken is added
   * @returns false when there is no such replay
   */
  private async advance(had: string[]): Promise<boolean> {
    const replay = await this.database.transaction(async (client) => {
      const next = await this.next(client, had);
      if (!next) return undefined;
      had.push(next.id);
      // The webhook was disabled meanwhile, or its integration's grant was revoked: there is nothing to send.
      if (next.tenant_id === null) await this.finish(client, next);
      else await this.queuePart(client, next);
      return next;
    });
    if (!replay) return false;
    this.signal.queued([endpointKey({ tenant_id: replay.owner, webhook_id: replay.webhook_id })]);
    return true;
  }

  private async next(client: ClientBase, had: readonly string[]): Promise<ReplayRow | undefined> {
    const { rows } = await client.query<ReplayRow>(
      `select s.*, r.tenant_id as owner, r.id, r.webhook_id, r.since, r.until, r.mode, t.partition,
         r.epoch || '.' || r.transaction_id || '.' || r.position as at
       from webhooks.replays r join platform.tenants t on t.id = r.tenant_id
       left join (${SUBSCRIBED}) s on s.tenant_id = r.tenant_id and s.id = r.webhook_id
       where r.finished_at is null and r.id <> all($1::uuid[])
         and (s.id is null or (select count(*) from (select from webhooks.deliveries d
           where d.tenant_id = r.tenant_id and d.webhook_id = r.webhook_id and d.state = 0 and d.due_at <= $2
           limit $3) due) < $3)
       order by r.requested_at limit 1 for update of r skip locked`,
      [had, this.clock.now(), MOST_DUE],
    );
    return rows.at(0);
  }

  private async queuePart(client: ClientBase, replay: ReplayRow): Promise<void> {
    const { owner, webhook_id, mode, partition, since, until } = replay;
    const tenant = { id: owner, partition };
    const { events, reached, more } = await this.feed.read(tenant, parsePosition(replay.at), CHUNK);
    const wanted = events.filter(({ recordedAt }) => recordedAt >= since && recordedAt <= until);
    // Events from before the registration are sent too: the replay asks for them.
    const always = { ...replay, id: webhook_id, since_epoch: 0, since_transaction_id: '0' };
    const messages = wanted.flatMap((event) => messagesFor([always], event));
    const queued = await queueMessages(client, messages, this.clock.now(), mode);
    const isOver =
      events.length >= LATER &&
      events.every(({ recordedAt }) => recordedAt.getTime() > until.getTime() + SLACK_MS);
    await client.query(
      `update webhooks.replays set epoch = $3, transaction_id = $4::xid8, position = $5, queued = queued + $6,
         finished_at = case when $7 then $8::timestamptz end
       where webhook_id = $1 and id = $2 and tenant_id = $9`,
      [
        webhook_id,
        replay.id,
        reached.epoch,
        reached.transactionId.toString(),
        reached.position.toString(),
        queued,
        isOver || !more,
        this.clock.now(),
        owner,
      ],
    );
  }

  private async finish(client: ClientBase, { owner, webhook_id, id }: ReplayRow): Promise<void> {
    await client.query(
      'update webhooks.replays set finished_at = $4 where tenant_id = $1 and webhook_id = $2 and id = $3',
      [owner, webhook_id, id, this.clock.now()],
    );
  }
}
