import { randomBytes, randomUUID } from 'node:crypto';
import { v7 } from 'uuid';
import { Appender } from '#event-store/append';
import { Codec } from '#event-store/codec';
import { EventStore } from '#event-store/event-store';
import { type AnyDefinition, Definitions } from '#event-store/events';
import { Feed } from '#event-store/feed';
import { Loader } from '#event-store/loader';
import { AppendSignal } from '#event-store/signal';
import { SubjectKeys } from '#event-store/subject-keys';
import { Clock, SystemClock } from '#kernel/clock';
import { Installation } from '#platform/auth/installation';
import { loadConfig } from '#platform/config';
import { ReadDatabase, WriteDatabase } from '#platform/database';
import type { RequestContext } from '#platform/request-context';
import { Secrets } from '#platform/secrets';
import { createTestDatabase } from './database';

/** The key of all stores of a test run, so that two of them can read the same personal data. */
const secretsKey = randomBytes(32);

/** An event store on a new database, without Nest. */
export async function createTestStore(
  definitions: readonly AnyDefinition[],
  clock: Clock = new SystemClock(),
) {
  const database = await createTestDatabase();
  const store = openStore(database.url, definitions, clock);
  const { rows } = await store.writes.pool.query<{ id: string }>(
    `insert into platform.installation (region, partitions) values ('uk', 12) returning id`,
  );
  return {
    ...store,
    installation: new Installation(rows[0].id, 'uk', 12),
    url: database.url,
    async close(): Promise<void> {
      await store.close();
      await database.drop();
    },
  };
}

/** A store over an existing database, as another process would open it. */
export function openStore(
  url: string,
  definitions: readonly AnyDefinition[],
  clock: Clock = new SystemClock(),
) {
  const config = loadConfig({
    NODE_ENV: 'test',
    DATABASE_URL: url,
    SECRETS_KEY: secretsKey.toString('base64'),
  });
  const writes = new WriteDatabase(config);
  const reads = new ReadDatabase(config);
  const keys = new SubjectKeys(new Secrets(secretsKey));
  const codec = new Codec(new Definitions(definitions), keys);
  const loader = new Loader(writes, codec);
  const signal = new AppendSignal(writes);
  const appender = new Appender(writes, signal);
  return {
    config,
    writes,
    reads,
    keys,
    codec,
    loader,
    appender,
    store: new EventStore(loader, appender, codec, keys, clock),
    feed: new Feed(writes, codec),
    async close(): Promise<void> {
      signal.onApplicationShutdown();
      await writes.onApplicationShutdown();
      await reads.onApplicationShutdown();
    },
  };
}

export type TestStore = Awaited<ReturnType<typeof createTestStore>>;

/** A request's context for a new tenant. */
export async function createContext(
  store: Pick<TestStore, 'writes'>,
  given: Partial<RequestContext> = {},
): Promise<RequestContext> {
  const alias = `t${randomBytes(6).toString('hex')}`;
  const { rows } = await store.writes.pool.query(
    `insert into platform.tenants (alias, region, partition, stream_id) values ($1, 'uk', $2, $3)
     returning id, alias, partition, stream_id as "streamId"`,
    [alias, randomBytes(1)[0] % 12, v7()],
  );
  return contextFor(rows[0], given);
}

export function contextFor(
  tenant: RequestContext['tenant'],
  given: Partial<RequestContext> = {},
): RequestContext {
  return {
    tenant,
    integrationId: randomUUID(),
    actor: 'integration:test',
    permissions: new Set(),
    correlationId: randomBytes(16).toString('hex'),
    admitted: Promise.resolve(),
    rateLimitHeaders: () => ({}),
    ...given,
  };
}
