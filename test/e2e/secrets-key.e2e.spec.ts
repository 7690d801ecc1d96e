import { randomBytes, randomUUID } from 'node:crypto';
import { Client } from 'pg';
import { Secrets } from '#platform/secrets';
import { ApiClient, requestToken } from '../support/client';
import { execute } from '../support/database';
import { createInstallation } from '../support/installation';
import { type RunningApp, startApp } from '../support/process';
import { Operator } from './operator';

const demo = { clientId: 'demo-client', clientSecret: 'demo-secret' };
const [old, next] = [randomBytes(32), randomBytes(32)];
const inBase64 = (key: Buffer) => key.toString('base64');
const CONNECTION = 'Server=db.example.com;Password=opensesame';

/** The number of values that a key opens in a database, by column. */
async function openedBy(key: Buffer, url: string): Promise<Record<string, number>> {
  const secrets = new Secrets(key);
  const opens = (sealed: Buffer) => {
    for (const open of [() => secrets.open(sealed.toString('base64url')), () => secrets.unwrapKey(sealed)]) {
      try {
        open();
        return true;
      } catch {
        // Not a value of this kind, or sealed by another key.
      }
    }
    return false;
  };
  const client = new Client(url);
  await client.connect();
  const { rows: columns } = await client.query<{ table: string; column: string }>(
    `select format('%I.%I', c.table_schema, c.table_name) as table, quote_ident(c.column_name) as column
     from information_schema.columns c join information_schema.tables t using (table_schema, table_name)
     where t.table_type = 'BASE TABLE' and c.table_schema !~ '^(pg_|information_schema)'
       and c.data_type in ('text', 'bytea', 'json', 'jsonb', 'ARRAY', 'character varying')`,
  );
  const found: Record<string, number> = {};
  for (const { table, column } of columns) {
    const { rows } = await client.query<{ value: string }>(
      `select ${column}::text as value from ${table} where ${column} is not null`,
    );
    // Every sealed value begins with the byte 1.
    const values = rows.flatMap(({ value }) =>
      value.startsWith('\\x01')
        ? [Buffer.from(value.slice(2), 'hex')]
        : (value.match(/(?<![\w-])A[Q-Za-f][\w-]{38,}/g) ?? []).map((text) => Buffer.from(text, 'base64url')),
    );
    const count = values.filter(opens).length;
    if (count > 0) found[`${table}.${column}`] = count;
  }
  await client.end();
  return found;
}

describe('replacing SECRETS_KEY', () => {
  let installation: Awaited<ReturnType<typeof createInstallation>>;
  let app: RunningApp | undefined;
  let clientId: string;
  let hook: { id: string; secret: string };

  beforeAll(async () => {
    installation = await createInstallation({ WEBHOOKS_ALLOW_INSECURE: 'true' });
  });
  afterAll(async () => {
    await app?.stop('SIGKILL');
    await installation.remove();
  });

  const env = (key: Buffer, ...accepted: Buffer[]) => ({
    ...installation.env,
    SECRETS_KEY: inBase64(key),
    SECRETS_KEYS_ACCEPTED: accepted.map(inBase64).join(','),
  });
  const opened = (key: Buffer) => openedBy(key, installation.databaseUrl);
  async function restart(key: Buffer, ...accepted: Buffer[]): Promise<ApiClient> {
    if (app) expect(await app.stop()).toBe(0);
    app = await startApp('local', env(key, ...accepted));
    const { status, body } = await requestToken(app.baseUrl, demo);
    expect(status).toBe(200);
    return new ApiClient('demo', body.access_token, { writes: app.baseUrl, reads: app.baseUrl });
  }
  async function create(api: ApiClient, firstName: string): Promise<string> {
    const body = { entityType: 'Individual', firstName, lastName: 'Lovelace' };
    return (await api.data('POST', 'entities', body)).id;
  }
  const nameOf = async (api: ApiClient, id: string) => (await api.data('GET', `entities/${id}`)).firstName;

  it('begins with all values sealed by one key', async () => {
    const api = await restart(old);
    clientId = await create(api, 'Ada');
    // Nobody listens there, and no event is sent.
    const body = { url: 'http://127.0.0.1:9/', events: ['matter.archived'] };
    hook = (await api.post('webhooks', body, { 'Idempotency-Key': randomUUID() })).body.data;
    await api.data('POST', `webhooks/${hook.id}/rotate-secret`, {});
    expect(await app!.stop()).toBe(0);
    app = undefined;
    const secrets = new Secrets(old);
    await execute(
      installation.databaseUrl,
      `insert into import.requests (id, tenant_id, status, message, connection, requested_by, queued_at, updated_at)
       select gen_random_uuid(), id, 'Failed', '', $1, '', now(), now() from platform.tenants where alias = 'demo'`,
      [secrets.seal(CONNECTION)],
    );
    await execute(
      installation.databaseUrl,
      `insert into import.repeats (tenant_id, integration_id, key, request_hash, answer, created_at)
       select tenant_id, integration_id, 'again', $1, $2, now() from webhooks.repeats`,
      [Buffer.from(secrets.seal('hash'), 'base64url'), secrets.seal('{}')],
    );
    expect(Object.keys(await opened(old)).sort()).toEqual([
      'event_store.subject_keys.wrapped',
      'import.repeats.answer',
      'import.repeats.request_hash',
      'import.requests.connection',
      'platform.installation.key_check',
      'platform.signing_keys.private_jwk',
      'webhooks.endpoints.former_secrets',
      'webhooks.endpoints.secret',
      'webhooks.repeats.answer',
      'webhooks.repeats.request_hash',
    ]);
  });

  it('reads the values of either key, and writes with the new one', async () => {
    const before = await opened(old);
    const api = await restart(next, old);
    const other = await create(api, 'Byron');
    expect([await nameOf(api, clientId), await nameOf(api, other)]).toEqual(['Ada', 'Byron']);
    expect(await opened(old)).toEqual(before);
    expect(Object.keys(await opened(next))).toEqual(['event_store.subject_keys.wrapped']);
  });

  it('seals everything with the new key while the service runs, and does nothing the second time', async () => {
    const [before, already] = [await opened(old), await opened(next)];
    const operator = new Operator(env(next, old));
    const answer: { table: string; column: string; resealed: number }[] = await operator.run([
      'secrets',
      'reseal',
    ]);
    const done = Object.fromEntries(
      answer.map(({ table, column, resealed }) => [`${table}.${column}`, resealed]),
    );
    expect(done).toEqual(before);
    expect(await opened(old)).toEqual({});
    const wrapped = 'event_store.subject_keys.wrapped';
    expect(await opened(next)).toEqual({ ...before, [wrapped]: before[wrapped] + already[wrapped] });
    const again: { resealed: number }[] = await operator.run(['secrets', 'reseal']);
    expect(again.map(({ resealed }) => resealed)).toEqual(answer.map(() => 0));
  });

  it('runs with the new key alone, and refuses the old one', async () => {
    const api = await restart(next);
    expect(await nameOf(api, clientId)).toBe('Ada');
    expect(await api.data('POST', `webhooks/${hook.id}/rotate-secret`, {})).toMatchObject({ id: hook.id });
    expect(app!.output()).not.toContain('SECRETS_KEY');
    const refused = await new Operator(env(old)).ask(['tenants', 'list']);
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('SECRETS_KEY is not the key') });
  });
});
