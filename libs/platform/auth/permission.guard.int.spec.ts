import { Controller, Get } from '@nestjs/common';
import { type AuthApplication, startAuthApplication } from '../../../test/support/auth-application';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database';
import type { CreatedIntegration } from './integrations';

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';

@Controller()
class Undeclared {
  @Get('/:tenant/api/v1/secrets')
  secrets() {
    return {};
  }
}

describe('PermissionGuard', () => {
  let test: TestDatabase;
  let auth: AuthApplication;
  let client: CreatedIntegration;
  /** Milliseconds that pass in addition to real time. */
  let passed = 0;

  beforeAll(async () => {
    test = await createTestDatabase();
    auth = await startAuthApplication(test.url);
    const now = performance.now.bind(performance);
    jest.spyOn(performance, 'now').mockImplementation(() => now() + passed);
    await auth.tenants.register({ alias: 'acme' });
    await auth.tenants.register({ alias: 'other' });
  });
  afterAll(async () => {
    jest.restoreAllMocks();
    await auth?.app.close();
    await test.drop();
  });
  beforeEach(async () => {
    client = await auth.integrations.create({ name: 'One', tenant: 'acme' });
  });

  async function tokenOf(integration: CreatedIntegration, scope = ''): Promise<string> {
    const response = await fetch(`${auth.address}/oauth2/token`, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'client_credentials',
        client_id: integration.clientId,
        client_secret: integration.clientSecret,
        scope,
      }),
    });
    return ((await response.json()) as { access_token: string }).access_token;
  }

  async function get(
    token: string | undefined,
    { tenant = 'acme', path = 'v1/matters', method = 'GET', headers = {} } = {},
  ) {
    const response = await fetch(`${auth.address}/${tenant}/api/${path}`, {
      method,
      headers: { ...(token && { Authorization: `Bearer ${token}` }), ...headers },
    });
    return { status: response.status, headers: response.headers, body: JSON.parse(await response.text()) };
  }

  it('makes the context of a request', async () => {
    const token = await tokenOf(client, 'matters:read clients:write');
    const answer = await get(token, { headers: { traceparent: `00-${traceId}-00f067aa0ba902b7-01` } });
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({
      tenant: {
        id: expect.any(Number),
        alias: 'acme',
        partition: expect.any(Number),
        streamId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      },
      integrationId: client.integrationId,
      actor: `integration:${client.clientId}`,
      permissions: ['matters:read', 'clients:write'],
      correlationId: traceId,
    });
    expect(answer.headers.get('ratelimit-policy')).toBe('"default";q=100;w=60');
    expect(answer.headers.get('ratelimit')).toMatch(/^"default";r=99;t=\d+$/);
  });

  it('hands on Idempotency-Key and If-Match', async () => {
    const response = await fetch(`${auth.address}/acme/api/v1/matters`, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${await tokenOf(client)}`,
        'Content-Type': 'application/json',
        'Idempotency-Key': 'k1',
        'If-Match': '"7"',
      },
      body: '{"title": "x"}',
    });
    expect(await response.json()).toEqual({
      key: 'k1',
      hash: expect.stringMatching(/^[0-9a-f]{64}$/),
      ifMatch: ['7'],
      body: { title: 'x' },
    });
  });

  it('answers 401 without a token, saying only which scheme is wanted', async () => {
    const answer = await get(undefined);
    expect(answer.status).toBe(401);
    expect(answer.headers.get('www-authenticate')).toBe('Bearer');
    expect(answer.headers.get('content-type')).toMatch(/^application\/problem\+json/);
    expect(answer.body).toMatchObject({ code: 'invalid_token', success: false });
  });

  it('answers 401 to a bad token', async () => {
    const answer = await get('nonsense');
    expect(answer.status).toBe(401);
    expect(answer.headers.get('www-authenticate')).toMatch(
      /^Bearer error="invalid_token", error_description="/,
    );
  });

  it('answers an unknown tenant, one that was not granted, and nonsense exactly alike', async () => {
    const token = await tokenOf(client);
    const answers = await Promise.all(
      ['other', 'unknown', 'a%00b', 'UPPER'].map((tenant) => get(token, { tenant })),
    );
    const seen = answers.map(({ status, headers, body }) => {
      const { instance, traceId: _, ...rest } = body;
      return JSON.stringify([status, headers.get('www-authenticate'), rest]);
    });
    expect(new Set(seen).size).toBe(1);
    expect(answers[0].status).toBe(401);
  });

  it('answers 403 and names the permission that the scope or the grant lacks', async () => {
    const narrowed = await get(await tokenOf(client, 'clients:read'));
    expect(narrowed.status).toBe(403);
    expect(narrowed.body).toMatchObject({ code: 'permission_denied' });
    expect(narrowed.body.detail).toContain('matters:read');
    const small = await auth.integrations.create({
      name: 'Small',
      tenant: 'acme',
      permissions: ['clients:read'],
    });
    expect((await get(await tokenOf(small))).status).toBe(403);
    expect((await get(await tokenOf(small, 'matters:read'))).status).toBe(403);
  });

  it('applies a narrowed or revoked grant within 30 s', async () => {
    const token = await tokenOf(client);
    const key = { clientId: client.clientId };
    expect((await get(token)).status).toBe(200);
    await auth.integrations.grant(key, { tenant: 'acme', permissions: ['clients:read'] });
    passed += 30_000;
    expect((await get(token)).status).toBe(403);
    await auth.integrations.revoke(key, 'acme');
    passed += 30_000;
    expect((await get(token)).status).toBe(401);
    await auth.integrations.grant(key, { tenant: 'acme' });
    passed += 6_000;
    expect((await get(token)).status).toBe(200);
    await auth.integrations.revokeEverywhere(key);
    passed += 30_000;
    expect((await get(token)).status).toBe(401);
  });

  it('asks the database only to count the request once it knows token and grant', async () => {
    const token = await tokenOf(client);
    await get(token);
    const query = jest.spyOn(auth.database.pool, 'query');
    expect((await get(token)).status).toBe(200);
    expect(query.mock.calls.map(([config]) => (config as unknown as { name: string }).name)).toEqual([
      'count-requests',
    ]);
    query.mockRestore();
  });

  it('reads a grant once when many requests need it at once', async () => {
    const token = await tokenOf(client);
    const query = jest.spyOn(auth.database.pool, 'query');
    await Promise.all(Array.from({ length: 10 }, () => get(token)));
    const names = query.mock.calls.map(([config]) => (config as unknown as { name: string }).name);
    expect(names.filter((name) => name === 'effective-grant')).toHaveLength(1);
    query.mockRestore();
  });

  it('answers 429 over the limit, but not in another tenant', async () => {
    const terms = { limit: 3, period: 60 };
    const busy = await auth.integrations.create({ name: 'Busy', tenant: 'acme', ...terms });
    await auth.integrations.grant({ clientId: busy.clientId }, { tenant: 'other', ...terms });
    const token = await tokenOf(busy);
    const answers = await Promise.all(Array.from({ length: 5 }, () => get(token)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 429, 429]);
    const again = await get(token);
    expect(again.status).toBe(429);
    expect(again.body).toMatchObject({ code: 'rate_limited' });
    expect(Number(again.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    expect(again.headers.get('ratelimit')).toMatch(/^"default";r=0;t=\d+$/);
    expect(again.headers.get('ratelimit-policy')).toBe('"default";q=3;w=60');
    expect((await get(token, { tenant: 'other' })).status).toBe(200);
  });

  it.each<[string, string, Record<string, string>, number]>([
    ['GET', 'v1/nothing', {}, 404],
    ['GET', 'v2/matters?x=1', {}, 404],
    ['DELETE', 'v1/matters', {}, 405],
    ['QUERY', 'v1/nothing', {}, 404],
    ['GET', 'v1/matters?x=%FF', {}, 400],
    ['POST', 'v1/matters', { 'Content-Encoding': 'gzip' }, 415],
  ])('authenticates and counts a request that reaches no route: %s %s %j', async (...refused) => {
    const [method, path, headers, status] = refused;
    const terms = { limit: 2, period: 60 };
    const token = await tokenOf(await auth.integrations.create({ name: 'Lost', tenant: 'acme', ...terms }));
    const request = { path, method, headers };
    expect((await get(undefined, request)).status).toBe(401);
    expect((await get(token, { ...request, tenant: 'other' })).status).toBe(401);
    const lost = await get(token, request);
    expect(lost.status).toBe(status);
    expect(lost.headers.get('content-type')).toMatch(/^application\/problem\+json/);
    expect(lost.headers.get('ratelimit-policy')).toBe('"default";q=2;w=60');
    expect(lost.headers.get('ratelimit')).toMatch(/^"default";r=1;t=\d+$/);
    await get(token, request);
    expect((await get(token, request)).status).toBe(429);
  });

  it('lets anyone use a public route', async () => {
    expect((await fetch(`${auth.address}/open`)).status).toBe(200);
  });

  it('keeps a process from starting that has a route without a permission', async () => {
    await expect(startAuthApplication(test.url, [Undeclared])).rejects.toThrow(
      'Routes without @Permission or @Public: Undeclared.secrets',
    );
  });
});
