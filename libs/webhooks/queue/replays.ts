import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import type { ClientBase } from 'pg';
import { type TenantEvents, TenantFeed } from '#event-store/feed/tenant-feed';
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

/** Goes through the feed for the requested replays; each part is queued by a transaction of its own. */
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
        const advanced = await this.advance(had);
        if (advanced === undefined) break;
        wentOn ||= advanced;
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
   * Queues the next part of the oldest replay that may go on.
   * @param had replays that have had their turn; the one taken is added
   * @returns whether the replay went on here, which it did not if another worker was quicker; undefined when no replay
   *   may go on
   */
  private async advance(had: string[]): Promise<boolean | undefined> {
    const replay = await this.next(had);
    if (!replay) return undefined;
    had.push(replay.id);
    // Whoever asked for the replay has no place where its end is shown.
    if (replay.tenant_id === null) {
      await this.finish(replay);
      this.log.log(
        `A replay of webhook ${replay.webhook_id} of tenant ${replay.owner} ends: the webhook was disabled or removed, ` +
          'or the grant of its integration was revoked',
      );
      return true;
    }
    // The part is read before the transaction locks the replay: from then on no reader of the feed sees what is
    // committed meanwhile.
    const tenant = { id: replay.owner, partition: replay.partition };
    const part = await this.feed.read(tenant, parsePosition(replay.at), CHUNK);
    const wentOn = await this.database.transaction(async (client) => {
      if (!(await this.lock(client, replay))) return false;
      await this.queuePart(client, replay, part);
      return true;
    });
    if (wentOn) this.signal.queued([endpointKey({ tenant_id: replay.owner, webhook_id: replay.webhook_id })]);
    return wentOn;
  }

  /**
   * Looks at the oldest replay of each webhook only: the due deliveries that hold it up hold up the others too. These are
   * counted after the replays are sorted, so that none are counted of a webhook whose turn comes later.
   */
  private async next(had: readonly string[]): Promise<ReplayRow | undefined> {
    const { rows } = await this.database.pool.query<ReplayRow>(
      `select * from (
         select s.*, r.tenant_id as owner, r.id, r.webhook_id, r.since, r.until, r.mode, t.partition, r.requested_at,
           r.epoch || '.' || r.transaction_id || '.' || r.position as at
         from (select distinct on (tenant_id, webhook_id) * from webhooks.replays
           where finished_at is null and id <> all($1::uuid[]) order by tenant_id, webhook_id, requested_at) r
         join platform.tenants t on t.id = r.tenant_id
         left join (${SUBSCRIBED}) s on s.tenant_id = r.tenant_id and s.id = r.webhook_id
         order by r.requested_at offset 0) r
       where r.tenant_id is null or (select count(*) from (select from webhooks.deliveries d
         where d.tenant_id = r.owner and d.webhook_id = r.webhook_id and d.state = 0 and d.due_at <= $2
         limit $3) due) < $3
       order by r.requested_at limit 1`,
      [had, this.clock.now(), MOST_DUE],
    );
    return rows.at(0);
  }

  /** @returns false when the replay has ended, has left the position, or is locked: another worker carries it on */
  private async lock(client: ClientBase, { owner, webhook_id, id, at }: ReplayRow): Promise<boolean> {
    const { rowCount } = await client.query(
      `select from webhooks.replays
       where tenant_id = $1 and webhook_id = $2 and id = $3 and finished_at is null
         and epoch || '.' || transaction_id || '.' || position = $4
       for update skip locked`,
      [owner, webhook_id, id, at],
    );
    return rowCount === 1;
  }

  private async queuePart(client: ClientBase, replay: ReplayRow, part: TenantEvents): Promise<void> {
    const { owner, webhook_id, mode, since, until } = replay;
    const { events, reached, more } = part;
    const wanted = events.filter(({ recordedAt }) => recordedAt >= since && recordedAt <= until);
    // Events from before the registration are sent too: the replay asks for them.
    const always = { ...replay, id: webhook_id, since_epoch: 0, since_transaction_id: '0' };
    const messages = wanted.flatMap((event) => messagesFor([always], event));
    await queueMessages(client, messages, this.clock.now(), mode);
    const isOver =
      events.length >= LATER &&
      events.every(({ recordedAt }) => recordedAt.getTime() > until.getTime() + SLACK_MS);
    await client.query(
      `update webhooks.replays set epoch = $3, transaction_id = $4::xid8, position = $5,
         finished_at = case when $6 then $7::timestamptz end
       where webhook_id = $1 and id = $2 and tenant_id = $8`,
      [
        webhook_id,
        replay.id,
        reached.epoch,
        reached.transactionId.toString(),
        reached.position.toString(),
        isOver || !more,
        this.clock.now(),
        owner,
      ],
    );
  }

  private async finish({ owner, webhook_id, id }: ReplayRow): Promise<void> {
    await this.database.pool.query(
      'update webhooks.replays set finished_at = $4 where tenant_id = $1 and webhook_id = $2 and id = $3',
      [owner, webhook_id, id, this.clock.now()],
    );
  }
}
