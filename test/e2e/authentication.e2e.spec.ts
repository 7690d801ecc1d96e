import { type ApiClient, type Credentials, requestToken, send } from '../support/client';
import { Office } from './office';
import { expectProblem } from './refusals';

let office: Office;
let api: ApiClient;
/** Another tenant, which the integration may not use. */
let other: string;
let base: string;
let credentials: Credentials;

beforeAll(async () => {
  office = await Office.join();
  [{ tenant: other }, api] = [await office.tenant(), await office.tenant()];
  credentials = await office.integration(api.tenant);
  base = office.app.baseUrl;
});
afterAll(() => office.close());

describe('the token endpoint', () => {
  it('answers with all that the specification and existing clients expect', async () => {
    const { status, headers, body } = await requestToken(base, credentials);
    expect(status).toBe(200);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(body).toEqual({
      access_token: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
      token_type: 'Bearer',
      expires_in: 3600,
      scope: 'https://api.example/.default',
      not_before: expect.any(Number),
      expires_on: expect.any(Number),
    });
  });

  it('refuses requests as RFC 6749 says', async () => {
    const wrong = await requestToken(base, { ...credentials, clientSecret: 'wrong' });
    expect(wrong).toMatchObject({ status: 401, body: { error: 'invalid_client' } });
    expect(wrong.headers.get('www-authenticate')).toMatch(/^Basic/);
    const unknown = await requestToken(base, { clientId: 'nobody', clientSecret: 'x' });
    expect(unknown.body).toEqual(wrong.body);
    expect(await requestToken(base, credentials, 'matters:fly')).toMatchObject({
      status: 400,
      body: { error: 'invalid_scope' },
    });
    const mixed = await requestToken(base, credentials, 'matters:read x/.default');
    expect(mixed).toMatchObject({ status: 400, body: { error: 'invalid_scope' } });
    const form = { body: new URLSearchParams({ grant_type: 'password' }) };
    expect(await send('POST', `${base}/oauth2/token`, form)).toMatchObject({ status: 400 });
    const asJson = await send('POST', `${base}/oauth2/token`, { body: credentials });
    expect(asJson).toMatchObject({ status: 400, body: { error: 'invalid_request' } });
    expectProblem(await send('GET', `${base}/oauth2/token`), 405, 'method_not_allowed');
  });
});

describe('401', () => {
  const ask = (authorization?: string, tenant = api.tenant) =>
    send('GET', `${base}/${tenant}/api/v1/matters`, {
      headers: authorization ? { Authorization: authorization } : {},
    });

  it('for no token, with a bare challenge', async () => {
    const answer = await ask();
    expectProblem(answer, 401, 'invalid_token');
    expect(answer.headers.get('www-authenticate')).toBe('Bearer');
  });

  it.each(['Bearer', 'Bearer x', 'Bearer a.b.c', 'Basic YTpi', 'Bearer é', 'Token x'])(
    'for %s',
    async (text) => {
      const answer = await ask(text);
      expectProblem(answer, 401, 'invalid_token');
      expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer/);
    },
  );

  it('for a token that was tampered with, or is not signed by the service', async () => {
    const [head, claims, signature] = api.token.split('.');
    const none = Buffer.from('{"alg":"none","typ":"at+jwt"}').toString('base64url');
    const forged = Buffer.from(
      JSON.stringify({ ...JSON.parse(Buffer.from(claims, 'base64url').toString()), sub: 'x' }),
    );
    for (const token of [
      `${none}.${claims}.`,
      `${head}.${forged.toString('base64url')}.${signature}`,
      `${api.token}x`,
    ]) {
      expectProblem(await ask(`Bearer ${token}`), 401, 'invalid_token');
    }
  });

  it('in the same way for an unknown tenant and for one that the token may not use', async () => {
    const answers = [];
    for (const tenant of [other, 'nowhere', api.tenant.toUpperCase(), '%00', "l'eeds", 'x'.repeat(150)]) {
      const { status, body, headers } = await ask(`Bearer ${api.token}`, tenant);
      const { instance: _, traceId: __, ...rest } = body;
      answers.push({ status, rest, challenge: headers.get('www-authenticate') });
    }
    for (const answer of answers) expect(answer).toEqual(answers[0]);
    expect(answers[0].status).toBe(401);
  });

  it('before the body is read, on GraphQL too', async () => {
    for (const path of ['api/v1/matters', 'graphql']) {
      expectProblem(
        await send('POST', `${base}/${api.tenant}/${path}`, {
          body: '{bad',
          headers: { 'Content-Type': 'application/json' },
        }),
        401,
        'invalid_token',
      );
    }
  });
});

describe('403', () => {
  it('names the permission that is missing from the scope or the grant', async () => {
    const narrow = await office.caller(api.tenant, credentials, { scope: 'clients:read entities:write' });
    expect((await narrow.get('clients')).status).toBe(200);
    expect((await narrow.post('entities', { entityType: 'Individual', lastName: 'X' })).status).toBe(201);
    const denied = async (as: ApiClient, method: string, path: string, permission: string) => {
      const answer = await as.send(method, path, method === 'GET' ? undefined : {});
      expectProblem(answer, 403, 'permission_denied');
      expect(answer.body.detail).toContain(permission);
    };
    await denied(narrow, 'GET', 'matters', 'matters:read');
    await denied(narrow, 'POST', 'clients', 'clients:write');
    await denied(narrow, 'GET', `entities/entity_${'0'.repeat(32)}`, 'entities:read');
    await denied(narrow, 'POST', `/${api.tenant}/graphql`, 'reports:read');
    const few = await office.integration(api.tenant, ['--permissions', 'matters:read']);
    const wide = await office.caller(api.tenant, few, { scope: 'matters:read matters:write' });
    expect((await wide.get('matters')).status).toBe(200);
    await denied(wide, 'POST', 'matters', 'matters:write');
    // The check comes before any validation of the request.
    const activation = await wide.post(`clients/client_${'0'.repeat(32)}/activate`, { unknown: 1 });
    expectProblem(activation, 403, 'permission_denied');
  });
});
