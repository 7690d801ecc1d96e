import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { NIL } from 'uuid';
import { Clock } from '#kernel/clock';
import { WriteDatabase } from '#platform/database';
import { HAS_WORDS, WIPED, WORDS_WITHIN_MS } from '../queue/delivery';

const CHUNK = 1_000;
/** Longer than it takes from an attempt's body to what is written down of its answer. */
const ATTEMPT_MS = 2 * WORDS_WITHIN_MS;

/** An attempt within a tenant. */
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

/** Where attempts are kept, `a`, and by which key: the first in the row of its delivery when it succeeded. */
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
 * What receivers of a tenant answered may repeat what they were sent of somebody who is erased. All of it is wiped, a
 * chunk at a time: a log of a million answers would take longer than a statement may, and nobody read the feed meanwhile.
 */
@Injectable()
export class ErasedAnswers implements OnApplicationShutdown {
  private readonly log = new Logger(ErasedAnswers.name);
  private running: Promise<void> = Promise.resolve();
  /** Whose turn has not begun. */
  private readonly waiting = new Set<number>();
  private stopping = false;

  constructor(
    private readonly database: WriteDatabase,
    private readonly clock: Clock,
  ) {}

  /** Nobody waits for it: what is not wiped now, as where the process ends, is by `wipeOver`. */
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

  /** After erasures, when no attempt from before them can be under way any more. */
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

  /** Those to a tenant's attempts that began until then. */
  private async wipe(tenant: number, until: Date): Promise<void> {
    const { pool } = this.database;
    for (const { table, key, at, words, wiped } of LOGS) {
      const names = Object.keys(key) as (keyof Key)[];
      const types = Object.values(key);
      const columns = names.map((name) => `a.${name}`).join();
      // By the key alone, so that a chunk is found by its index, however much there is before it.
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
