import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import type { Client } from 'pg';
import { nameClaim } from '#event-store/claims';
import { WriteDatabase } from '#platform/database';
import { SILENCE_MS } from '#platform/database/sign-of-life';
import { SEALED_AT_ONCE, sealNext } from './seals';

const EVERY_MS = 5_000;
/** Rest after work, in times that it took: with sealing at a fortieth of the time, appends lose at most as much. */
const REST = 39;
/** What took long was held up by something else: no reason to leave events unsealed for minutes. */
const LONGEST_REST_MS = 10_000;
const LEADER = nameClaim('sealing');

/** Seals events soon after they were written. One process at a time does, however many run. */
@Injectable()
export class Sealing implements OnApplicationShutdown {
  /** A process that is frozen still holds its connections: the server ends the session of one that asks for nothing so long. */
  protected readonly silenceMs: number = SILENCE_MS;
  private readonly log = new Logger(Sealing.name);
  /** Holds the leader's lock; whoever loses it loses the connection that seals. */
  private session?: Client;
  private leading = false;
  private running?: Promise<void>;
  private stopping = false;
  private wake: () => void = () => undefined;

  constructor(private readonly database: WriteDatabase) {}

  start(): void {
    this.running ??= this.run();
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

  /** The next events of each partition; true when there may be more at once. */
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

  /** @returns how many partitions there are to seal: none while another process leads */
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
