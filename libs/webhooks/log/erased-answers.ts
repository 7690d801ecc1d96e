import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { NIL } from 'uuid';
import { Clock } from '#kernel/clock';
import { WriteDatabase } from '#platform/database';
import { HAS_WORDS, WIPED, WORDS_WITHIN_MS } from '../queue/delivery';

const CHUNK = 1_000;
/** Longer than the time from making an attempt's body to storing its answer. */
const ATTEMPT_MS = 2 * WORDS_WITHIN_MS;

/** The key of an attempt within a tenant. */
interface Key {
  webhook_id: string;
  event_id: string;
  number?: number;
}

const BEFORE_ALL: Key = {
  webhook_id: NIL,
  event_id: NIL,
  number: 0,
};
const DELIVERY = { webhook_id: 'uuid', event_id: 'uuid' };

/**
 * The tables that hold attempts, as `a`, and their keys. A first attempt that succeeded is in the row of its delivery.
 */
const LOGS = [
  {
    table: 'webhooks.deliveries',
    key: DELIVERY,
    at: 'a.first_at',
    words: 'a.first_response is not null',
    wiped: 'first_response = null',
  },
  {
    table: 'webhooks.attempts',
    key: { ...DELIVERY, number: 'integer' },
    at: 'a.at',
    words: HAS_WORDS,
    wiped: WIPED,
  },
];

/**
 * Wipes the answers of a tenant's receivers after an erasure: an answer may repeat what the receiver was sent about the
 * erased person. All answers are wiped, one chunk at a time: for a million answers one statement would exceed its time
 * limit, and no one could read the feed meanwhile.
 */
@Injectable()
export class ErasedAnswers implements OnApplicationShutdown {
  private readonly log = new Logger(ErasedAnswers.name);
  private running: Promise<void> = Promise.resolve();
  /** Tenants whose wiping has not begun. */
  private readonly waiting = new Set<number>();
  private stopping = false;

  constructor(
    private readonly database: WriteDatabase,
    private readonly clock: Clock,
  ) {}

  /** Wipes in the background. What is not wiped now, because the process ends for instance, is wiped by `wipeOver`. */
  wipeSoon(tenants: readonly number[]): void {
    for (const tenant of tenants) {
      if (this.waiting.has(tenant)) continue;
      this.waiting.add(tenant);
      this.running = this.running
        .then(() => {
          this.waiting.delete(tenant);
          return this.wipe(tenant, this.clock.now());
        })
        .catch((error: Error) => this.log.warn(`Answers are not wiped yet: ${error.message}`));
    }
  }

  /** Wipes again after erasures, once no attempt from before them can be under way any more. */
  async wipeOver(): Promise<void> {
    const over = new Date(this.clock.now().getTime() - ATTEMPT_MS);
    const { rows } = await this.database.pool.query<{ tenant_id: number; at: Date }>(
      'select tenant_id, max(at) as at from webhooks.erasures where at <= $1 group by tenant_id',
      [over],
    );
    for (const { tenant_id, at } of rows) {
      await this.wipe(tenant_id, new Date(at.getTime() + ATTEMPT_MS));
      if (this.stopping) return;
      await this.database.pool.query('delete from webhooks.erasures where tenant_id = $1 and at <= $2', [
        tenant_id,
        over,
      ]);
    }
  }

  async onApplicationShutdown(): Promise<void> {
    this.stopping = true;
    await this.running;
  }

  /** Wipes the answers to a tenant's attempts that began by a time. */
  private async wipe(tenant: number, until: Date): Promise<void> {
    const { pool } = this.database;
    for (const { table, key, at, words, wiped } of LOGS) {
      const names = Object.keys(key) as (keyof Key)[];
      const types = Object.values(key);
      const columns = names.map((name) => `a.${name}`).join();
      // The chunk is selected by the key alone, so that the index finds it, however many rows are before it.
      const part = `select ${columns}, coalesce(${at} <= $2 and ${words}, false) as told from ${table} a
        where a.tenant_id = $1 and (${columns}) > (${types.map((type, index) => `$${index + 4}::${type}`).join()})
        order by ${columns} limit $3`;
      const wipe = `update ${table} a set ${wiped}
        from json_to_recordset($2) g (${names.map((name, index) => `${name} ${types[index]}`).join()})
        where a.tenant_id = $1 and (${columns}) = (${names.map((name) => `g.${name}`).join()}) and ${words}`;
      let last: Key | undefined = BEFORE_ALL;
      while (last && !this.stopping) {
        const values = [tenant, until, CHUNK, ...names.map((name) => last![name])];
        const { rows } = await pool.query<Key & { told: boolean }>(part, values);
        const told = rows.filter((row) => row.told);
        if (told.length > 0) await pool.query(wipe, [tenant, JSON.stringify(told)]);
        last = rows.length === CHUNK ? rows.at(-1) : undefined;
      }
    }
  }
}
