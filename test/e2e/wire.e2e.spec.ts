import { type ApiClient, send } from '../support/client';
import { Office } from './office';
import { mark, person } from './records';
import { expectNoInsides, expectProblem } from './refusals';

let office: Office;
let api: ApiClient;
let base: string;
const json = { 'Content-Type': 'application/json' };

beforeAll(async () => {
  // In development, as npm start runs it: even there, clients must not see anything internal.
  office = await Office.open({ NODE_ENV: 'development' });
  api = await office.tenant('leeds');
  base = office.app.baseUrl;
});
afterAll(() => office.close());

/** Sends a body as it is, which JSON.stringify could not produce. */
const raw = (body: string, headers: Record<string, string> = json) =>
  api.send('POST', 'entities', body, headers);

describe('bodies', () => {
  it.each([
    ['{bad', 400, 'malformed_json'],
    ['{"lastName":', 400, 'malformed_json'],
    ['{"__proto__": {"lastName": "x"}}', 400, 'malformed_json'],
    [`{"a":${'['.repeat(30)}${']'.repeat(30)}}`, 400, 'too_deep'],
    [`{"a":${'['.repeat(500)}`, 400, 'malformed_json'],
    ['null', 422, 'validation_failed'],
    ['"text"', 422, 'not_an_object'],
    ['[]', 422, 'not_an_object'],
    ['17', 422, 'not_an_object'],
    ['', 422, 'validation_failed'],
    ['{"entityType":"Individual","lastName":"a\\u0000b"}', 422, 'invalid_text'],
    ['{"entityType":"Individual","lastName":"\\ud800"}', 422, 'invalid_text'],
    ['{"a\\u0000":1}', 422, 'invalid_text'],
    ['{"constructor":{"prototype":{"x":1}}}', 422, 'validation_failed'],
    ['{"toString":1,"entityType":"Individual","lastName":"x"}', 422, 'validation_failed'],
  ])('%s answers %d %s', async (body, status, code) => {
    expectProblem(await raw(body), status, code);
  });

  it('is UTF-8, or refused: letters of another encoding would otherwise be lost unnoticed', async () => {
    const body = JSON.stringify({ entityType: 'Individual', lastName: 'José' });
    const latin = new Uint8Array(Buffer.from(body, 'latin1'));
    for (const type of ['application/json', 'application/json; charset=iso-8859-1'])
      expectProblem(
        await api.send('POST', 'entities', latin, { 'Content-Type': type }),
        400,
        'malformed_json',
      );
    const utf8 = await api.send('POST', 'entities', new Uint8Array(Buffer.from(body)), json);
    expect(utf8.body.data.lastName).toBe('José');
  });

  it('is refused above 1 MiB, and as anything but JSON', async () => {
    const big = (length: number) =>
      JSON.stringify({ entityType: 'Individual', lastName: 'x'.repeat(length) });
    expectProblem(await raw(big(1_100_000)), 413, 'body_too_large');
    expectProblem(await raw(big(1_000_000)), 422, 'validation_failed', '/lastName');
    for (const type of [
      'text/plain',
      'application/xml',
      'multipart/form-data',
      'application/jsonx',
      'nonsense',
    ]) {
      expectProblem(await raw('{}', { 'Content-Type': type }), 415, 'unsupported_media_type');
    }
    const charset = { 'Content-Type': 'application/json; charset=utf-8' };
    expect((await raw(big(5), charset)).status).toBe(201);
  });

  it('is kept as sent, whatever the script', async () => {
    const lastName = 'O\'Brien-Łódź 龍 🐉 %s {{x}} <b> \\ "q"; drop table x; --';
    const id = await person(api, lastName);
    expect((await api.data('GET', `entities/${id}`)).lastName).toBe(lastName);
  });

  it('has no field that an action does not know, as with other writes', async () => {
    const path = `entities/${await person(api)}/anonymise`;
    const refused = await api.post(path, { reason: 'asked', at: 'once' });
    expectProblem(refused, 422, 'validation_failed');
    expect(refused.body.errors).toEqual(
      ['reason', 'at'].map((name) => ({
        pointer: `/${name}`,
        code: 'unknown_property',
        message: `${name} is not a known property`,
      })),
    );
    expectProblem(await api.post(path, '[]', json), 422, 'not_an_object');
    for (const body of ['', 'null', {}])
      expect((await api.post(path, body, { 'Content-Type': 'application/json' })).status).toBe(200);
  });

  it('has all its faulty properties named at once', async () => {
    const { body } = await raw(JSON.stringify({ entityType: 'Ghost', email: 'x', 'a/b~c': 1 }));
    const pointers = body.errors.map(({ pointer }: { pointer: string }) => pointer).sort();
    expect(pointers).toEqual(['/a~1b~0c', '/email', '/entityType']);
  });
});

describe('parameters', () => {
  it.each(['nothing=1', 'constructor=1', 'toString=1', '__proto__=1', 'pagesize=1', 'keywords[]=x'])(
    'that no list has are refused: %s',
    async (query) => {
      expectProblem(await api.get(`entities?${query}`), 400, 'invalid_query');
    },
  );
});

describe('addresses', () => {
  it.each([
    ['GET', '/nothing'],
    ['GET', '/leeds/api/v2/matters'],
    ['GET', '/leeds/api/v1/nothing'],
    ['POST', `/leeds/api/v1/matters/matter_${'0'.repeat(32)}/explode`],
    ['GET', '/leeds/api/v1/matters/'],
    ['GET', '//'],
  ])('%s %s is 404', async (method, path) => {
    expectProblem(await api.send(method, path), 404, 'no_such_address');
  });

  it.each([
    ['PUT', '/leeds/api/v1/matters', 'HEAD, GET, POST'],
    ['DELETE', '/leeds/api/v1/matters', 'HEAD, GET, POST'],
    ['OPTIONS', '/leeds/api/v1/matters', 'HEAD, GET, POST'],
    ['QUERY', '/leeds/api/v1/matters', 'HEAD, GET, POST'],
    ['POST', `/leeds/api/v1/matters/matter_${'0'.repeat(32)}`, 'HEAD, GET, PATCH, DELETE'],
    ['GET', `/leeds/api/v1/matters/matter_${'0'.repeat(32)}/close`, 'POST'],
    ['GET', '/oauth2/token', 'POST'],
  ])('%s %s is 405, with Allow: %s', async (method, path, allow) => {
    const answer = await api.send(method, path);
    expectProblem(answer, 405, 'method_not_allowed');
    expect(answer.headers.get('allow')).toBe(allow);
  });

  it.each([
    ['/%', 400, 'malformed_request'],
    ['/leeds/api/v1/matters/%ff', 400, 'malformed_request'],
    ['/leeds/api/v1/matters?keywords=M%FCller', 400, 'invalid_query'],
    [`/leeds/api/v1/matters/${'x'.repeat(8000)}`, 404, 'not_found'],
  ])('%s answers %d %s', async (path, status, code) => {
    expectProblem(await api.get(path), status, code);
  });

  it('answers HEAD like GET, without a body', async () => {
    const head = await api.send('HEAD', 'matters');
    expect(head).toMatchObject({ status: 200, body: undefined });
    expect(head.headers.get('content-length')).not.toBe('0');
  });
});

describe('every answer', () => {
  it('has a trace id, that of the caller when there is one', async () => {
    const traceId = 'abcdef0123456789abcdef0123456789';
    const traceparent = `00-${traceId}-0123456789abcdef-01`;
    const { body, headers } = await api.get(`matters/matter_${'0'.repeat(32)}`, { traceparent });
    expect([body.traceId, headers.get('x-trace-id')]).toEqual([traceId, traceId]);
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('ratelimit-policy')).toMatch(/^"default";q=\d+;w=\d+$/);
    expect(headers.get('ratelimit')).toMatch(/^"default";r=\d+;t=\d+$/);
  });

  it('can wait for the position of a write', async () => {
    const token = (text: string) => Buffer.from(text).toString('base64url');
    const keywords = mark();
    const made = await api.post('entities', { entityType: 'Individual', lastName: keywords });
    const minimum = { 'X-Min-Position': made.headers.get('x-event-position')! };
    expect((await api.get(`entities?keywords=${keywords}`, minimum)).body.data.rows).toHaveLength(1);
    for (const text of ['nonsense', '', token(`1.1.${'9'.repeat(19)}`)]) {
      expectProblem(await api.get('entities', { 'X-Min-Position': text }), 400, 'invalid_position');
    }
    const future = { 'X-Min-Position': token('1.999999999.999999999') };
    const late = await api.get('entities', future);
    expectProblem(late, 503, 'position_not_reached');
    expect(late.headers.get('retry-after')).toBe('1');
  });
});

describe('refused reports', () => {
  it.each([
    '{',
    '{ nothing }',
    'mutation { nothing }',
    '{ work_item_listing(slice: { cols: [{ colId: "nothing" }] }) }',
    '{ a: fee_analysis b: fee_analysis c: fee_analysis d: fee_analysis e: fee_analysis }',
    '',
    7,
  ])('%s gives a GraphQL error without a stack', async (query) => {
    const { status, body } = await api.post('/leeds/graphql', { query });
    expect({ status, body }).toMatchObject({
      status: 400,
      body: { errors: [{ message: expect.any(String) }] },
    });
    expectNoInsides(JSON.stringify(body));
  });

  it('do not fail when the body is no request at all', async () => {
    for (const body of [
      undefined,
      [],
      [{ query: '{ __typename }' }],
      'null',
      { query: '{ __typename }', variables: 'x' },
    ]) {
      const answer = await api.send('POST', '/leeds/graphql', body, { 'Content-Type': 'application/json' });
      expect(answer.status).toBe(400);
      expectNoInsides(JSON.stringify(answer.body));
    }
  });
});

describe('addresses that need no token', () => {
  it('show health, metrics, keys and descriptions', async () => {
    const open = async (path: string) => {
      const answer = await send('GET', base + path);
      expect({ path, status: answer.status }).toEqual({ path, status: 200 });
      return answer.body;
    };
    expect(await open('/health/live')).toEqual({ status: 'ok' });
    expect(await open('/health/ready')).toMatchObject({ status: 'ok', checks: { eventStore: 'ok' } });
    expect(await open('/metrics')).toContain('http_request_duration_seconds_count');
    expect(await open('/.well-known/oauth-authorization-server')).toMatchObject({
      issuer: base,
      token_endpoint: `${base}/oauth2/token`,
      jwks_uri: `${base}/.well-known/jwks.json`,
    });
    const { keys } = await open('/.well-known/jwks.json');
    expect(keys[0]).not.toHaveProperty('d');
    expect(await open('/leeds/graphql/schema')).toContain('work_item_listing');
    expect((await open('/openapi.json')).openapi).toMatch(/^3\./);
    expect(await open('/docs')).toMatch(/swagger/i);
  });
});
