import { Injectable, Logger, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { calculateJwkThumbprint, exportJWK, generateKeyPair, importJWK, type JWK } from 'jose';
import type { PoolClient } from 'pg';
import { Clock } from '#kernel/clock';
import { Rounds } from '#kernel/rounds';
import { WriteDatabase } from '#platform/database';
import { sealedText } from '#platform/resealing';
import { Secrets } from '#platform/secrets';

export const signingAlgorithm = 'ES256';
export const tokenLifetimeSeconds = 3600;
const rereadSeconds = 30;
/**
 * Another process may sign with a retired key until it reads the keys again. A minute covers that delay and a
 * difference of the clocks.
 */
const graceSeconds = 60;
/** The key of an advisory lock, the same in every process: only one at a time makes or retires signing keys. */
const advisoryLock = 7_402_184;

export const sealedSigningKeys = sealedText('platform.signing_keys', ['id'], 'private_jwk');

type SigningKey = Awaited<ReturnType<typeof importJWK>>;

interface StoredKey {
  kid: string;
  publicJwk: JWK;
  privateJwk: string;
  createdAt: Date;
  retiredAt: Date | null;
}

type ListedKey = Pick<StoredKey, 'kid' | 'createdAt' | 'retiredAt'> & { acceptedUntil: Date | null };

/**
 * The keys that sign and verify tokens, in memory: read at start, every 30 s, and for a key id not seen before.
 * A retired key is published and accepted until the last token that it signed has expired.
 */
@Injectable()
export class SigningKeys implements OnModuleInit, OnApplicationShutdown {
  private readonly logger = new Logger(SigningKeys.name);
  private stored: StoredKey[] = [];
  private readonly verifying = new Map<string, SigningKey>();
  private signing?: { kid: string; key: SigningKey };
  private reading?: Promise<void>;
  private lastRead = Number.NEGATIVE_INFINITY;
  private readonly rounds = new Rounds(
    () => this.reread(),
    (error) => this.logger.warn(`Signing keys not read: ${error.message}`),
  );

  constructor(
    private readonly database: WriteDatabase,
    private readonly secrets: Secrets,
    private readonly clock: Clock,
  ) {}

  async onModuleInit(): Promise<void> {
    await this.read();
    this.rounds.start(rereadSeconds * 1000);
  }

  onApplicationShutdown(): void {
    void this.rounds.stop();
  }

  /** The key to sign with; it is made now if the deployment has none. */
  async forSigning(): Promise<{ kid: string; key: SigningKey }> {
    if (!this.current()) {
      await this.addKey({ onlyIfNone: true });
      await this.read();
    }
    const current = this.current()!;
    if (this.signing?.kid !== current.kid) {
      const jwk = JSON.parse(this.secrets.open(current.privateJwk)) as JWK;
      this.signing = { kid: current.kid, key: await importJWK(jwk, signingAlgorithm) };
    }
    return this.signing;
  }

  /** Whether tokens signed with this key are accepted, as far as this process knows. */
  accepts(kid: string): boolean {
    return this.accepted().some((key) => key.kid === kid);
  }

  /** The public key of a key id; for an unknown id the keys are read again. */
  async forVerifying(kid: string): Promise<SigningKey | undefined> {
    if (!this.accepts(kid)) await this.reread();
    const stored = this.accepted().find((key) => key.kid === kid);
    if (!stored) return undefined;
    const known = this.verifying.get(kid);
    if (known) return known;
    const key = await importJWK(stored.publicJwk, signingAlgorithm);
    this.verifying.set(kid, key);
    return key;
  }

  /** The key set of `/.well-known/jwks.json` (RFC 7517). */
  published(): { keys: JWK[] } {
    return { keys: this.accepted().map((key) => key.publicJwk) };
  }

  /** Publishes a new key and retires the current one. @returns the new key's id */
  async rotate(): Promise<string> {
    const kid = await this.addKey({ onlyIfNone: false });
    await this.read();
    return kid;
  }

  /** All stored keys, newest first. */
  async list(): Promise<ListedKey[]> {
    await this.read();
    return this.stored.map(({ kid, createdAt, retiredAt }) => ({
      kid,
      createdAt,
      retiredAt,
      acceptedUntil: retiredAt && new Date(acceptedUntil(retiredAt)),
    }));
  }

  private current(): StoredKey | undefined {
    return this.stored.find((key) => key.retiredAt === null);
  }

  private accepted(): StoredKey[] {
    const now = this.clock.now().getTime();
    return this.stored.filter((key) => key.retiredAt === null || acceptedUntil(key.retiredAt) > now);
  }

  /**
   * Reads the keys, one read at a time, and at most once a second: with made-up key ids a stranger causes a wait, not a
   * query each.
   */
  private reread(): Promise<void> {
    const wait = Math.max(0, this.lastRead + 1000 - performance.now());
    this.reading ??= new Promise<void>((resolve) => setTimeout(resolve, wait).unref())
      .then(() => this.read())
      .finally(() => {
        this.reading = undefined;
      });
    return this.reading;
  }

  private async read(): Promise<void> {
    const { rows } = await this.database.pool.query<StoredKey>(
      `select id as kid, public_jwk as "publicJwk", private_jwk as "privateJwk",
              created_at as "createdAt", retired_at as "retiredAt"
       from platform.signing_keys order by created_at desc, id`,
    );
    this.stored = rows;
    this.lastRead = performance.now();
  }

  private addKey({ onlyIfNone }: { onlyIfNone: boolean }): Promise<string> {
    return this.database.transaction(async (client) => {
      await client.query('select pg_advisory_xact_lock($1)', [advisoryLock]);
      return (onlyIfNone && (await currentId(client))) || this.insertKey(client);
    });
  }

  private async insertKey(client: PoolClient): Promise<string> {
    const pair = await generateKeyPair(signingAlgorithm, { extractable: true });
    const publicJwk = await exportJWK(pair.publicKey);
    const kid = await calculateJwkThumbprint(publicJwk);
    const sealed = this.secrets.seal(JSON.stringify(await exportJWK(pair.privateKey)));
    await client.query('update platform.signing_keys set retired_at = $1 where retired_at is null', [
      this.clock.now(),
    ]);
    await client.query(
      'insert into platform.signing_keys (id, public_jwk, private_jwk, created_at) values ($1, $2, $3, $4)',
      [kid, { ...publicJwk, kid, use: 'sig', alg: signingAlgorithm }, sealed, this.clock.now()],
    );
    return kid;
  }
}

function acceptedUntil(retiredAt: Date): number {
  return retiredAt.getTime() + (tokenLifetimeSeconds + graceSeconds) * 1000;
}

async function currentId(client: PoolClient): Promise<string | undefined> {
  const { rows } = await client.query<{ id: string }>(
    'select id from platform.signing_keys where retired_at is null limit 1',
  );
  return rows[0]?.id;
}
