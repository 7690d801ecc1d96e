import crypto from 'node:crypto';
import { WriteDatabase } from '#platform/database';
import { Secrets } from '#platform/secrets';
import { registryOf, testConfig } from '../../../test/support/auth-application';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database';
import { SetClock } from '../../../test/support/set-clock';
import { type Attempt, ClientAuthentication } from './client-authentication';
import { ensureInstallation } from './installation';
import type { CreatedIntegration, Integrations } from './integrations';
import { TokenFailures } from './token-failures';

describe('ClientAuthentication', () => {
  let test: TestDatabase;
  let database: WriteDatabase;
  let integrations: Integrations;
  let client: CreatedIntegration;
  let clock: SetClock;
  const make = () => new ClientAuthentication(database, new TokenFailures(database, clock));

  beforeAll(async () => {
    test = await createTestDatabase();
    const config = testConfig(test.url);
    database = new WriteDatabase(config);
    const registry = registryOf(
      database,
      await ensureInstallation(database.pool, config, new Secrets(config.secretsKey)),
    );
    await registry.tenants.register({ alias: 'acme' });
    integrations = registry.integrations;
    client = await integrations.create({ name: 'One', tenant: 'acme' });
  });
  afterAll(async () => {
    await database.onApplicationShutdown();
    await test.drop();
  });
  beforeEach(async () => {
    clock = new SetClock(new Date('2026-03-01T12:00:15Z'));
    await database.pool.query('delete from platform.token_failures');
  });
  afterEach(() => jest.restoreAllMocks());

  const good = (clients: ClientAuthentication, address = '192.0.2.1') =>
    clients.attempt(client.clientId, client.clientSecret, address);
  const guess = (clients: ClientAuthentication, times: number, address = '192.0.2.1'): Promise<Attempt[]> =>
    Promise.all(
      Array.from({ length: times }, (_, n) => clients.attempt(client.clientId, `guess ${n}`, address)),
    );
  const refused = (attempts: Attempt[]) => attempts.filter((attempt) => attempt === 'refused').length;

  it('lets ten guesses of a burst through, then not even the right secret, until the window ends', async () => {
    const clients = make();
    const attempts = await guess(clients, 13);
    expect(refused(attempts)).toBe(10);
    expect(attempts.at(-1)).toEqual({ retryAfterSeconds: 45 });
    expect(await good(clients)).toEqual({ retryAfterSeconds: 45 });
    clock.advance(45);
    expect(await good(clients)).toMatchObject({ clientId: client.clientId });
  });

  it.each<[string, (n: number) => string]>([
    ['another address of the same network', (n) => `2001:db8::${n}`],
    ['another port, which a proxy adds to the address', (n) => `192.0.2.1:${40_000 + n}`],
    ['another port of an IPv6 address', (n) => `[2001:db8::1]:${40_000 + n}`],
  ])('lets no more guesses through when each comes from %s', async (_, addressOf) => {
    const clients = make();
    const guesses = Array.from({ length: 40 }, (_, n) =>
      clients.attempt(client.clientId, `guess ${n}`, addressOf(n)),
    );
    expect(refused(await Promise.all(guesses))).toBe(10);
  });

  it('counts failures across processes', async () => {
    expect(refused(await guess(make(), 6))).toBe(6);
    expect(refused(await guess(make(), 6))).toBe(4);
  });

  it('never lets a stranger at another address lock a client out', async () => {
    await guess(make(), 12, '198.51.100.9');
    expect(await good(make())).toMatchObject({ integrationId: client.integrationId });
  });

  it('refuses an address after thirty failures over many clients', async () => {
    const clients = make();
    const attempts: Attempt[] = [];
    for (let n = 0; n < 32; n++) attempts.push(await clients.attempt(`client ${n}`, 'x', '192.0.2.1'));
    expect(refused(attempts)).toBe(30);
    expect(await good(clients, '192.0.2.2')).toMatchObject({ clientId: client.clientId });
  });

  it('does not count successes', async () => {
    const clients = make();
    const attempts = await Promise.all(Array.from({ length: 40 }, () => good(clients)));
    expect(attempts.every((attempt) => attempt !== 'refused' && 'clientId' in attempt)).toBe(true);
  });

  it('derives a key once for a secret that is used again and again, and always for a wrong one', async () => {
    const clients = make();
    const scrypt = jest.spyOn(crypto, 'scrypt');
    await good(clients);
    const before = scrypt.mock.calls.length;
    for (let n = 0; n < 5; n++) await good(clients);
    expect(scrypt).toHaveBeenCalledTimes(before);
    await guess(clients, 2);
    expect(scrypt).toHaveBeenCalledTimes(before + 2);
  });

  it('derives a key for an unknown client too, so that the time does not reveal it', async () => {
    const scrypt = jest.spyOn(crypto, 'scrypt');
    const clients = make();
    await clients.attempt('unknown', 'x', '192.0.2.1');
    const before = scrypt.mock.calls.length;
    expect(await clients.attempt('unknown', 'x', '192.0.2.1')).toBe('refused');
    expect(scrypt).toHaveBeenCalledTimes(before + 1);
  });

  it('refuses a secret at once after its rotation, even one that it has just verified', async () => {
    const clients = make();
    const rotated = await integrations.create({ name: 'Rotated', tenant: 'acme' });
    const attempt = (secret: string) => clients.attempt(rotated.clientId, secret, '192.0.2.1');
    expect(await attempt(rotated.clientSecret)).toMatchObject({ clientId: rotated.clientId });
    const next = await integrations.rotateSecret({ clientId: rotated.clientId });
    expect(await attempt(rotated.clientSecret)).toBe('refused');
    expect(await attempt(next.clientSecret)).toMatchObject({ clientId: rotated.clientId });
  });
});
