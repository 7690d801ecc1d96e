import type { PoolClient } from 'pg';
import type { Clock } from '#kernel/clock';
import { invalid } from '#kernel/errors';
import type { WriteDatabase } from '../database';
import type { RequestContext } from '../request-context';
import { type SealedColumn, sealedBytes, sealedText } from '../resealing';
import type { Secrets } from '../secrets';
import { Reply } from './reply';

const KEPT_MS = 24 * 3_600_000;

/** The sealed columns of a table of answers. */
export function sealedRepeats(table: string): SealedColumn[] {
  const key = ['tenant_id', 'integration_id', 'key'];
  return [sealedBytes(table, key, 'request_hash'), sealedText(table, key, 'answer')];
}

/** The transaction in which a request makes its changes. */
export interface Change {
  client: PoolClient;
  now: Date;
}

/**
 * Carries out requests that make no events, each in one transaction. A repeat with the same Idempotency-Key gets the
 * first answer again. The answer is stored encrypted, as it may contain a secret.
 */
export abstract class RepeatableRequests {
  /** @param table the table in which the answers are stored, from code */
  constructor(
    private readonly table: string,
    private readonly database: WriteDatabase,
    private readonly secrets: Secrets,
    private readonly clock: Clock,
  ) {}

  /** @throws DomainError `idempotency_key_reused`, and the refusals of `admit` and the work: a refusal is not stored */
  async execute(context: RequestContext, work: (change: Change) => Promise<Reply>): Promise<Reply> {
    const now = this.clock.now();
    await context.admitted;
    return this.database.transaction(async (client) => {
      await this.admit(client, context);
      const earlier = await this.begin(client, context, now);
      if (earlier) return earlier;
      const reply = await work({ client, now });
      await this.keep(client, context, reply);
      return reply;
    });
  }

  /** Refuses requests that must not be carried out now, including repeats. */
  protected async admit(_client: PoolClient, _context: RequestContext): Promise<void> {}

  /**
   * Claims the key, and waits for another request that holds it. @returns the answer to that request, if there is one
   */
  private async begin(
    client: PoolClient,
    { tenant, integrationId, idempotency }: RequestContext,
    now: Date,
  ): Promise<Reply | undefined> {
    if (!idempotency) return undefined;
    const { key, hash } = idempotency;
    const { rowCount } = await client.query(
      `insert into ${this.table} as r (tenant_id, integration_id, key, request_hash, created_at)
       values ($1, $2, $3, $4, $5)
       on conflict (tenant_id, integration_id, key) do update
         set request_hash = excluded.request_hash, answer = null, created_at = excluded.created_at
         where r.created_at <= $6`,
      [tenant.id, integrationId, key, this.sealed(hash), now, new Date(now.getTime() - KEPT_MS)],
    );
    if (rowCount === 1) return undefined;
    const { rows } = await client.query<{ request_hash: Buffer; answer: string }>(
      `select request_hash, answer from ${this.table}
       where tenant_id = $1 and integration_id = $2 and key = $3`,
      [tenant.id, integrationId, key],
    );
    if (this.secrets.open(rows[0].request_hash.toString('base64url')) !== hash.toString('hex'))
      throw invalid('idempotency_key_reused', 'This Idempotency-Key was used before with another request.');
    const { status, body, headers } = JSON.parse(this.secrets.open(rows[0].answer)) as Reply;
    return new Reply(status, body, { ...headers, 'Idempotent-Replayed': 'true' });
  }

  /**
   * The request's digest, sealed: from the plain digest of a body with a weak password, someone who tries many could
   * find the password.
   */
  private sealed(hash: Buffer): Buffer {
    return Buffer.from(this.secrets.seal(hash.toString('hex')), 'base64url');
  }

  private async keep(
    client: PoolClient,
    { tenant, integrationId, idempotency }: RequestContext,
    { status, body, headers }: Reply,
  ): Promise<void> {
    if (!idempotency) return;
    const answer = this.secrets.seal(JSON.stringify({ status, body, headers }));
    await client.query(
      `update ${this.table} set answer = $4 where tenant_id = $1 and integration_id = $2 and key = $3`,
      [tenant.id, integrationId, idempotency.key, answer],
    );
  }

  /** Deletes keys after 24 hours. */
  async forget(): Promise<void> {
    await this.database.pool.query(`delete from ${this.table} where created_at <= $1`, [
      new Date(this.clock.now().getTime() - KEPT_MS),
    ]);
  }
}
