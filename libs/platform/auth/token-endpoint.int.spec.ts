import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { createLocalJWKSet, decodeJwt, type JSONWebKeySet, jwtVerify } from 'jose';
import { Clock } from '#kernel/clock';
import { type AuthApplication, startAuthApplication } from '../../../test/support/auth-application';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database';
import type { CreatedIntegration } from './integrations';
import type { TokenAnswer } from './token-issuer';

/** All fields that the answers in this suite may have. */
type Answer = TokenAnswer & JSONWebKeySet & { error: string; scopes_supported: string[] };
const read = async (response: Response) => (await response.json()) as Answer;

describe('POST /oauth2/token', () => {
  let test: TestDatabase;
  let auth: AuthApplication;
  let client: CreatedIntegration;

  beforeAll(async () => {
    test = await createTestDatabase();
    auth = await startAuthApplication(test.url);
    await auth.tenants.register({ alias: 'acme' });
    client = await auth.integrations.create({ name: 'One', tenant: 'acme' });
  });
  afterAll(async () => {
    await auth?.app.close();
    await test.drop();
  });
  beforeEach(async () => {
    await auth.database.pool.query('delete from platform.token_failures');
    // The time is the middle of a window, so that no test sees two.
    const now = new Date(Math.floor(Date.now() / 60_000) * 60_000 + 30_000);
    jest.spyOn(auth.app.get(Clock), 'now').mockReturnValue(now);
  });
  afterEach(() => jest.restoreAllMocks());

  it('answers 408 to a body that arrives too slowly, and closes the connection', async () => {
    const { setTimeout: wait } = global;
    // The server's time limit of half a minute ends after a moment.
    const sooner = (run: () => void, ms?: number) => wait(run, ms === 30_000 ? 50 : ms);
    jest.spyOn(global, 'setTimeout').mockImplementation(sooner as typeof setTimeout);
    const socket = connect(Number(new URL(auth.address).port), '127.0.0.1');
    const type = 'Content-Type: application/x-www-form-urlencoded';
    socket.write(
      `POST /oauth2/token HTTP/1.1\r\nHost: x\r\n${type}\r\nContent-Length: 100\r\n\r\ngrant_type`,
    );
    const answer = await text(socket);
    expect(answer).toMatch(/^HTTP\/1\.1 408 /);
    expect(answer).toContain('"error":"invalid_request"');
  });

  const post = (
    body: Record<string, string> | string,
    headers: Record<string, string> = {},
  ): Promise<Response> =>
    fetch(`${auth.address}/oauth2/token`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/x-www-form-urlencoded', ...headers },
      body: typeof body === 'string' ? body : new URLSearchParams(body).toString(),
    });
  const form = (more: Record<string, string> = {}) => ({
    grant_type: 'client_credentials',
    client_id: client.clientId,
    client_secret: client.clientSecret,
    ...more,
  });
  const basic = (id: string, secret: string) => ({
    Authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`,
  });

  it('ignores the byte order mark that .NET writes before a form', async () => {
    expect((await post(`\ufeff${new URLSearchParams(form())}`)).status).toBe(200);
  });

  it('answers with a token that the published keys verify', async () => {
    const response = await post(form());
    expect(response.status).toBe(200);
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(response.headers.get('pragma')).toBe('no-cache');
    expect(response.headers.get('content-type')).toMatch(/^application\/json/);
    const answer = await read(response);
    const now = auth.app.get(Clock).now().getTime() / 1000;
    expect(answer).toEqual({
      access_token: expect.any(String),
      token_type: 'Bearer',
      expires_in: 3600,
      scope: '/.default',
      not_before: expect.any(Number),
      expires_on: expect.any(Number),
    });
    expect(answer.not_before).toBeLessThanOrEqual(now);
    expect(answer.expires_on).toBe(now + 3600);

    const keys = await read(await fetch(`${auth.address}/.well-known/jwks.json`));
    const { payload, protectedHeader } = await jwtVerify(answer.access_token, createLocalJWKSet(keys));
    const { rows } = await auth.database.pool.query('select id from platform.installation');
    expect(payload).toMatchObject({
      iss: 'http://127.0.0.1:8080',
      aud: `urn:practice-management:${rows[0].id}`,
      sub: client.clientId,
      client_id: client.clientId,
      integration_id: client.integrationId,
      scope: '/.default',
      exp: answer.expires_on,
      nbf: answer.not_before,
      jti: expect.any(String),
    });
    expect(protectedHeader).toEqual({ alg: 'ES256', typ: 'at+jwt', kid: keys.keys[0].kid });
    expect(keys.keys).toEqual([
      {
        kty: 'EC',
        crv: 'P-256',
        x: expect.any(String),
        y: expect.any(String),
        kid: protectedHeader.kid,
        use: 'sig',
        alg: 'ES256',
      },
    ]);
  });

  it('takes HTTP Basic as well, each part form-encoded', async () => {
    const odd = await auth.integrations.create({
      name: 'Odd',
      tenant: 'acme',
      clientId: 'a:b c',
      clientSecret: '50%+x y',
    });
    const encoded = basic(encodeURIComponent(odd.clientId), encodeURIComponent(odd.clientSecret));
    expect((await post({ grant_type: 'client_credentials' }, encoded)).status).toBe(200);
  });

  it.each([
    ['matters:read clients:read', 'matters:read clients:read'],
    ['api://practice/.default', 'api://practice/.default'],
    ['', '/.default'],
  ])('narrows to the scope %j', async (scope, granted) => {
    const answer = await read(await post(form({ scope })));
    expect(answer.scope).toBe(granted);
    expect(decodeJwt(answer.access_token).scope).toBe(granted);
  });

  it.each(['matters:read api://practice/.default', 'a/.default b/.default', 'matters:delete', 'bad"quote'])(
    'refuses the scope %j',
    async (scope) => {
      const response = await post(form({ scope }));
      expect(response.status).toBe(400);
      expect(await read(response)).toMatchObject({ error: 'invalid_scope' });
    },
  );

  it.each([
    ['no grant_type', { grant_type: '' }, 400, 'invalid_request'],
    ['another grant type', { grant_type: 'password' }, 400, 'unsupported_grant_type'],
    [
      'an authorization code without a secret',
      { grant_type: 'authorization_code', code_verifier: 'x', client_secret: '' },
      400,
      'unsupported_grant_type',
    ],
    ['no secret', { client_secret: '' }, 401, 'invalid_client'],
    ['no client', { client_id: '' }, 401, 'invalid_client'],
    ['a wrong secret', { client_secret: 'wrong' }, 401, 'invalid_client'],
    ['an unknown client', { client_id: 'unknown' }, 401, 'invalid_client'],
    ['a NUL in the client id', { client_id: 'a\0b' }, 400, 'invalid_request'],
  ])('answers to %s as RFC 6749 says', async (_what, change, status, error) => {
    const response = await post(form(change as Record<string, string>));
    expect(response.status).toBe(status);
    expect(response.headers.get('content-type')).toMatch(/^application\/json/);
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(response.headers.get('pragma')).toBe('no-cache');
    const body = await read(response);
    expect(body).toEqual({
      error,
      error_description: expect.stringMatching(/^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/),
    });
    if (status === 401) expect(response.headers.get('www-authenticate')).toMatch(/^Basic /);
  });

  it('refuses an unknown client, a wrong secret and a revoked client in the same way', async () => {
    const gone = await auth.integrations.create({ name: 'Gone', tenant: 'acme' });
    await auth.integrations.revokeEverywhere({ clientId: gone.clientId });
    const answers = await Promise.all([
      post(form({ client_id: 'unknown' })),
      post(form({ client_secret: 'wrong' })),
      post(form({ client_id: gone.clientId, client_secret: gone.clientSecret })),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([401, 401, 401]);
    const bodies = await Promise.all(answers.map((answer) => answer.text()));
    expect(new Set(bodies).size).toBe(1);
  });

  it.each([
    ['Basic nonsense', 401, 'invalid_client'],
    ['Bearer abc', 401, 'invalid_client'],
  ])('refuses the Authorization header %s', async (Authorization, status, error) => {
    const response = await post({ grant_type: 'client_credentials' }, { Authorization });
    expect(response.status).toBe(status);
    expect(response.headers.get('www-authenticate')).toMatch(/^Basic realm=/);
    expect(await read(response)).toMatchObject({ error });
  });

  it('refuses two ways of authentication at once, and a parameter given twice', async () => {
    const both = await post(form(), basic(client.clientId, client.clientSecret));
    expect([both.status, (await read(both)).error]).toEqual([400, 'invalid_request']);
    const twice = await post(`${new URLSearchParams(form())}&scope=a&scope=b`);
    expect([twice.status, (await read(twice)).error]).toEqual([400, 'invalid_request']);
  });

  it.each(['application/json', 'text/plain', 'multipart/form-data; boundary=x'])(
    'refuses a body of %s',
    async (type) => {
      const response = await post(JSON.stringify(form()), { 'Content-Type': type });
      expect(response.status).toBe(400);
      expect(response.headers.get('cache-control')).toBe('no-store');
      expect(await read(response)).toMatchObject({ error: 'invalid_request' });
    },
  );

  it('refuses an empty and an enormous body', async () => {
    expect((await post('')).status).toBe(401);
    const large = await post(form({ scope: 'x'.repeat(20_000) }));
    expect([large.status, (await read(large)).error]).toEqual([413, 'invalid_request']);
  });

  it('slows down a client that guesses, and no other', async () => {
    const guesses = await Promise.all(
      Array.from({ length: 15 }, (_, n) => post(form({ client_secret: `guess ${n}` }))),
    );
    const statuses = guesses.map(({ status }) => status).sort();
    expect(statuses).toEqual([...Array(10).fill(401), ...Array(5).fill(429)]);
    const slow = guesses.find(({ status }) => status === 429)!;
    expect(Number(slow.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    expect(await read(slow)).toMatchObject({ error: 'slow_down' });
    const other = await auth.integrations.create({ name: 'Other', tenant: 'acme' });
    const { clientId: client_id, clientSecret: client_secret } = other;
    expect((await post(form({ client_id, client_secret }))).status).toBe(200);
  });

  it('answers 503 when the database fails, without the text of its error', async () => {
    jest.spyOn(auth.database.pool, 'query').mockImplementation(() => {
      throw new Error('relation "x" does not exist');
    });
    const response = await post(form());
    expect(response.status).toBe(503);
    expect(response.headers.get('retry-after')).toBe('1');
    const body = await read(response);
    expect(body.error).toBe('temporarily_unavailable');
    expect(JSON.stringify(body)).not.toContain('relation');
  });

  it('publishes its metadata', async () => {
    const metadata = await read(await fetch(`${auth.address}/.well-known/oauth-authorization-server`));
    expect(metadata).toMatchObject({
      issuer: 'http://127.0.0.1:8080',
      token_endpoint: 'http://127.0.0.1:8080/oauth2/token',
      jwks_uri: 'http://127.0.0.1:8080/.well-known/jwks.json',
      grant_types_supported: ['client_credentials'],
    });
    expect(metadata.scopes_supported).toContain('matters:write');
  });

  it('does not apply its rules for bodies to other routes', async () => {
    const { access_token } = await read(await post(form()));
    const response = await fetch(`${auth.address}/acme/api/v1/matters`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${access_token}`, 'Content-Type': 'text/plain' },
      body: 'x',
    });
    expect(response.status).toBe(415);
  });
});
