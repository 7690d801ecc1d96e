import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { WriteDatabase } from '#platform/database';
import { Secrets } from '#platform/secrets';
import { secretsKey, testConfig } from '../../../test/support/auth-application';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database';
import { SetClock } from '../../../test/support/set-clock';
import { AccessTokens } from './access-tokens';
import { ensureInstallation, Installation } from './installation';
import { SigningKeys } from './signing-keys';

const client = { integrationId: '0190a000-0000-7000-8000-000000000001', clientId: 'one', scope: '/.default' };

describe('signing keys and access tokens', () => {
  let test: TestDatabase;
  let database: WriteDatabase;
  let installation: Installation;
  let clock: SetClock;
  const secrets = new Secrets(Buffer.from(secretsKey, 'base64'));

  /** The keys and tokens of one process. */
  function startProcess(audience = installation) {
    const keys = new SigningKeys(database, secrets, clock);
    return { keys, tokens: new AccessTokens(testConfig(test.url), audience, keys, clock) };
  }

  beforeAll(async () => {
    test = await createTestDatabase();
    database = new WriteDatabase(testConfig(test.url));
    installation = await ensureInstallation(database.pool, testConfig(test.url), secrets);
  });
  afterAll(async () => {
    await database.onApplicationShutdown();
    await test.drop();
  });
  beforeEach(async () => {
    clock = new SetClock(new Date('2026-03-01T12:00:00Z'));
    await database.pool.query('delete from platform.signing_keys');
  });

  it('makes one first key when processes start at once', async () => {
    const processes = Array.from({ length: 5 }, () => startProcess());
    const signing = await Promise.all(processes.map(({ keys }) => keys.forSigning()));
    expect(new Set(signing.map(({ kid }) => kid)).size).toBe(1);
    expect((await processes[0].keys.list()).length).toBe(1);
  });

  it('keeps the private key encrypted', async () => {
    await startProcess().keys.forSigning();
    const { rows } = await database.pool.query('select public_jwk, private_jwk from platform.signing_keys');
    expect(rows[0].public_jwk).not.toHaveProperty('d');
    expect(JSON.parse(secrets.open(rows[0].private_jwk))).toHaveProperty('d');
  });

  it('keeps at most 16 MiB of verified tokens, however long they are', async () => {
    const { keys, tokens } = startProcess();
    const scope = `${'a'.repeat(11_000)}/.default`;
    const texts = await Promise.all(Array.from({ length: 1500 }, () => tokens.issue({ ...client, scope })));
    for (const { text } of texts) await tokens.verify(text);
    const asked = jest.spyOn(keys, 'forVerifying');
    let kept = 0;
    for (const { text } of texts.toReversed()) {
      await tokens.verify(text);
      if (asked.mock.calls.length === 0) kept += text.length;
    }
    expect(kept).toBeGreaterThan(8 * 1024 ** 2);
    expect(kept).toBeLessThanOrEqual(16 * 1024 ** 2);
  });

  it('verifies in every process a token that one of them signed, even with a key made a moment ago', async () => {
    const [one, other] = [startProcess(), startProcess()];
    await other.keys.list();
    const issued = await one.tokens.issue(client);
    expect(await other.tokens.verify(issued.text)).toMatchObject(client);
    await one.keys.rotate();
    const next = await one.tokens.issue(client);
    expect(await other.tokens.verify(next.text)).toMatchObject(client);
  });

  it('publishes two keys during a rotation, and accepts the old one until its last token has expired', async () => {
    const { keys, tokens } = startProcess();
    const old = await keys.forSigning();
    const rotated = await keys.rotate();
    expect((await keys.forSigning()).kid).toBe(rotated);
    expect(
      keys
        .published()
        .keys.map(({ kid }) => kid)
        .sort(),
    ).toEqual([old.kid, rotated].sort());
    clock.advance(3600);
    expect(keys.accepts(old.kid)).toBe(true);
    clock.advance(61);
    expect(keys.accepts(old.kid)).toBe(false);
    expect(keys.published().keys.map(({ kid }) => kid)).toEqual([rotated]);
    expect(await tokens.verify((await tokens.issue(client)).text)).toMatchObject(client);
  });

  it('accepts a token from before a rotation in a process that starts after it', async () => {
    const before = startProcess();
    const issued = await before.tokens.issue(client);
    await before.keys.rotate();
    expect(await startProcess().tokens.verify(issued.text)).toMatchObject(client);
  });

  it('accepts a token only until it expires, even one that it has verified before', async () => {
    const { tokens } = startProcess();
    const issued = await tokens.issue(client);
    clock.advance(3599);
    expect(await tokens.verify(issued.text)).toMatchObject(client);
    clock.advance(1);
    await expect(tokens.verify(issued.text)).rejects.toMatchObject({
      fault: 'unauthenticated',
      code: 'invalid_token',
      detail: 'The access token has expired.',
      headers: { 'WWW-Authenticate': expect.stringContaining('error="invalid_token"') },
    });
  });

  it('refuses the tokens of a key that was withdrawn, even those that it has verified before', async () => {
    const { keys, tokens } = startProcess();
    const issued = await tokens.issue(client);
    await tokens.verify(issued.text);
    await database.pool.query('delete from platform.signing_keys');
    await keys.list();
    await expect(tokens.verify(issued.text)).rejects.toMatchObject({ code: 'invalid_token' });
  });

  it('refuses forged tokens and tokens of another deployment', async () => {
    const { keys, tokens } = startProcess();
    const { text } = await tokens.issue(client);
    const [header, payload, signature] = text.split('.');
    const { kid } = await keys.forSigning();
    const stranger = await generateKeyPair('ES256', { extractable: true });
    const forged = (protectedHeader: { alg: string; kid?: string; typ?: string; jwk?: object }) =>
      new SignJWT({ integration_id: client.integrationId, scope: '/.default' })
        .setProtectedHeader(protectedHeader as { alg: string })
        .setSubject('one')
        .setAudience(installation.audience)
        .setNotBefore(0)
        .setExpirationTime(4e9);
    const unsigned = Buffer.from('{"alg":"none","typ":"at+jwt"}').toString('base64url');
    const otherDeployment = new Installation('0190a000-0000-7000-8000-00000000000f', 'uk', 12);
    const bad = [
      'nonsense',
      `${header}.${payload}.`,
      `${unsigned}.${payload}.`,
      `${header}.${payload}.${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`,
      await forged({ alg: 'ES256', typ: 'at+jwt', kid }).sign(stranger.privateKey),
      await forged({ alg: 'ES256', typ: 'at+jwt' }).sign(stranger.privateKey),
      await forged({ alg: 'ES256', typ: 'at+jwt', jwk: await exportJWK(stranger.publicKey) }).sign(
        stranger.privateKey,
      ),
      await forged({ alg: 'HS256', typ: 'at+jwt', kid }).sign(Buffer.alloc(32)),
      (await startProcess(otherDeployment).tokens.issue(client)).text,
    ];
    for (const token of bad)
      await expect(tokens.verify(token)).rejects.toMatchObject({ code: 'invalid_token' });
    expect(await tokens.verify(text)).toMatchObject(client);
  });

  it('reads the keys at most once a second for unknown key ids', async () => {
    const { keys } = startProcess();
    await keys.forSigning();
    const query = jest.spyOn(database.pool, 'query');
    const found = await Promise.all(Array.from({ length: 100 }, (_, n) => keys.forVerifying(`unknown ${n}`)));
    expect(found.filter(Boolean)).toEqual([]);
    expect(query).toHaveBeenCalledTimes(1);
    query.mockRestore();
  });

  it('says so when SECRETS_KEY is not the one that sealed the keys', async () => {
    await startProcess().keys.forSigning();
    const keys = new SigningKeys(database, new Secrets(Buffer.alloc(32)), clock);
    await expect(keys.forSigning()).rejects.toThrow(/SECRETS_KEY/);
  });
});
