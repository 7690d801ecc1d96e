import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import type { Client } from 'pg';
import { Feed, lagOf } from '#event-store/feed';
import { nameLock } from '#event-store/locks';
import { parsePosition, START } from '#event-store/position';
import { Clock } from '#kernel/clock';
import { WriteDatabase } from '#platform/database';
import { SILENCE_MS } from '#platform/database/sign-of-life';
import { registerGauge } from '#platform/observability/gauge';
import { SEALED_AT_ONCE, sealNext } from './seals';

const EVERY_MS = 5_000;
/**
 * Length of the rest after work, as a multiple of the work's duration: sealing takes a fortieth of the time, so appends
 * lose at most that much.
 */
const REST = 39;
/**
 * Work that took long was delayed by something else, such as an import on the same machine, which is no reason to leave
 * events unsealed for hours. A thousand events take some 16 ms, and 640 ms of rest; with rests of up to ten seconds, a
 * busy machine sealed a hundred events a second.
 */
const LONGEST_REST_MS = 2_000;
const LEADER = nameLock('sealing');

/** Seals events soon after they were written. Of all processes, one at a time does this. */
@Injectable()
export class Sealing implements OnApplicationShutdown {
  /** A frozen process keeps its connections open, so the server ends a session that has been idle for this long. */
  protected readonly silenceMs: number = SILENCE_MS;
  private readonly log = new Logger(Sealing.name);
  /** The session that holds the leader's lock and seals: a process that loses the lock also loses the connection. */
  private session?: Client;
  private leading = false;
  private running?: Promise<void>;
  private stopping = false;
  private wake: () => void = () => undefined;

  constructor(
    private readonly database: WriteDatabase,
    private readonly feed: Feed,
    private readonly clock: Clock,
  ) {}

  start(): void {
    this.running ??= this.run();
    registerGauge(
      'seal_lag_seconds',
      'Age of the oldest event of a partition that has no seal yet; 0 when all have one.',
      ['partition'],
      (set) => this.lag(set),
    );
  }

  async onApplicationShutdown(): Promise<void> {
    this.stopping = true;
    this.wake();
    await this.running;
  }

  private async run(): Promise<void> {
    while (!this.stopping) {
      let more = false;
      try {
        more = await this.round();
      } catch (error) {
        this.log.warn(`Sealing goes on in ${EVERY_MS / 1000} s: ${(error as Error).message}`);
        await this.disconnect();
      }
      if (!more) await this.rest(EVERY_MS);
    }
    await this.disconnect();
  }

  /** Seals the next events of each partition. Returns true when there may be more already. */
  private async round(): Promise<boolean> {
    const session = (this.session ??= await this.connect());
    const partitions = await this.lead(session);
    let more = false;
    for (let partition = 0; partition < partitions && !this.stopping; partition++) {
      const began = performance.now();
      try {
        const { read } = await sealNext(session, partition);
        more ||= read === SEALED_AT_ONCE;
      } finally {
        await this.rest(Math.min(REST * (performance.now() - began), LONGEST_REST_MS));
      }
    }
    return more;
  }

  /** @returns the number of partitions to seal; 0 while another process leads */
  private async lead(session: Client): Promise<number> {
    const { rows } = await session.query<{ partitions: number; leading: boolean }>(
      `select partitions, case when $1 then true else pg_try_advisory_lock($2) end as leading
       from platform.installation`,
      [this.leading, LEADER],
    );
    const [{ partitions, leading }] = rows;
    this.leading = leading;
    return leading ? partitions : 0;
  }

  private async lag(set: (value: number, partition: string) => void): Promise<void> {
    const { rows } = await this.database.pool.query<{ partition: number; at: string | null }>(
      `select p.partition, (reached).epoch || '.' || (reached).transaction_id || '.' || (reached).position as at
       from generate_series(0, (select partitions - 1 from platform.installation)) as p(partition)
       left join event_store.seal_checkpoints c on c.partition = p.partition`,
    );
    const cursors = rows.map(({ partition, at }) => ({ partition, after: at ? parsePosition(at) : START }));
    const oldest = await this.feed.oldest(cursors);
    const now = this.clock.now();
    for (const [index, { partition }] of cursors.entries()) set(lagOf(oldest[index], now), String(partition));
  }

  private async connect(): Promise<Client> {
    const session = await this.database.session();
    await session.query(`set idle_session_timeout = ${this.silenceMs}`);
    return session;
  }

  private async disconnect(): Promise<void> {
    const { session } = this;
    this.session = undefined;
    this.leading = false;
    await session?.end();
  }

  private rest(milliseconds: number): Promise<void> {
    if (this.stopping) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, milliseconds);
      this.wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
