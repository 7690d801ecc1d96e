import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Clock } from '#kernel/clock';
import { WriteDatabase } from '#platform/database';
import { subnetOf } from '#platform/net/address';

const windowMs = 60_000;
const perClientAndAddress = 10;
const perAddress = 30;

/**
 * Failed token requests of the current minute, counted across processes: 10 for a client at an address, 30 for an
 * address. There is no count by client alone, or a stranger could lock a client out.
 */
@Injectable()
export class TokenFailures {
  constructor(
    private readonly database: WriteDatabase,
    private readonly clock: Clock,
  ) {}

  /** Seconds to wait before the next attempt; undefined when one may be made now. */
  async secondsToWait(clientId: string, address: string): Promise<number | undefined> {
    const [pair, place] = subjects(clientId, address);
    const start = this.windowStart();
    const { rows } = await this.database.pool.query<{ subject: string; failures: number }>(
      'select subject, failures from platform.token_failures where subject = any($1) and window_start = $2',
      [[pair, place], new Date(start)],
    );
    const exceeded = rows.some(
      ({ subject, failures }) => failures >= (subject === pair ? perClientAndAddress : perAddress),
    );
    return exceeded
      ? Math.max(1, Math.ceil((start + windowMs - this.clock.now().getTime()) / 1000))
      : undefined;
  }

  async record(clientId: string, address: string): Promise<void> {
    await this.database.pool.query(
      `insert into platform.token_failures as f (subject, window_start, failures)
       select subject, $2, 1 from unnest($1::text[]) as subject order by subject
       on conflict (subject, window_start) do update set failures = f.failures + 1`,
      [subjects(clientId, address), new Date(this.windowStart())],
    );
  }

  private windowStart(): number {
    return Math.floor(this.clock.now().getTime() / windowMs) * windowMs;
  }
}

/** The subjects are hashed, as a client id is whatever a stranger sends. */
function subjects(clientId: string, address: string): [pair: string, place: string] {
  const place = subnetOf(address);
  const hash = (text: string) => createHash('sha256').update(text).digest('base64url');
  return [hash(`${place} ${clientId}`), hash(place)];
}
