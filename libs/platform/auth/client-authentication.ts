import { createHash, timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { Turns } from '#kernel/turns';
import { WriteDatabase } from '#platform/database';
import { subnetOf } from '#platform/net/address';
import { hashSecret, newSecret, verifySecret } from './secret-hash';
import { TokenFailures } from './token-failures';

type Authenticated = { integrationId: string; clientId: string };
export type Attempt = Authenticated | 'refused' | { retryAfterSeconds: number };

interface Row {
  integrationId: string;
  secretHash: string;
  revoked: boolean;
}

/** Checks client ids and secrets, and slows down guessing. */
@Injectable()
export class ClientAuthentication {
  /**
   * Digests of the secrets that were verified in the last 30 s, by the stored hash that they match: a client that asks
   * for tokens again and again costs one scrypt. A rotated secret has another hash, so its predecessor is forgotten at
   * once.
   */
  private readonly verified = new LRUCache<string, Buffer>({ max: 1000, ttl: 30_000 });
  /** The hash that is checked when a client is unknown, so that the response time does not reveal it. */
  private readonly decoy = hashSecret(newSecret());
  private readonly turns = new Turns();

  constructor(
    private readonly database: WriteDatabase,
    private readonly failures: TokenFailures,
  ) {}

  /** Attempts to authenticate. An unknown client, a wrong secret and a revoked integration get the same refusal. */
  async attempt(clientId: string, secret: string, address: string): Promise<Attempt> {
    // One attempt at a time for each network: otherwise a burst of guesses could pass the count of failures before one
    // fails.
    return this.turns.take(subnetOf(address), async () => {
      const retryAfterSeconds = await this.failures.secondsToWait(clientId, address);
      if (retryAfterSeconds !== undefined) return { retryAfterSeconds };
      const row = await this.find(clientId);
      const fits = await this.verify(secret, row?.secretHash ?? (await this.decoy));
      if (row && fits && !row.revoked) return { integrationId: row.integrationId, clientId };
      await this.failures.record(clientId, address);
      return 'refused';
    });
  }

  private async verify(secret: string, stored: string): Promise<boolean> {
    const digest = createHash('sha256').update(secret).digest();
    const known = this.verified.get(stored);
    if (known && timingSafeEqual(known, digest)) return true;
    const fits = await verifySecret(secret, stored);
    if (fits) this.verified.set(stored, digest);
    return fits;
  }

  private async find(clientId: string): Promise<Row | undefined> {
    const { rows } = await this.database.pool.query<Row>(
      `select id as "integrationId", secret_hash as "secretHash", revoked_at is not null as revoked
       from platform.integrations where client_id = $1`,
      [clientId],
    );
    return rows[0];
  }
}
