import { DomainError } from '#kernel/errors';
import { committedDescription } from '../../../test/support/contract/description';
import { Firm } from '../testing/firm';
import { GOOD, ReportsApplication } from '../testing/reports-application';
import { printSdl } from './schema';

let reports: ReportsApplication;

beforeAll(async () => {
  reports = await ReportsApplication.start({ one: 1 }, 'development');
  await new Firm(reports.pool, 1).open();
});

afterAll(() => reports.stop());

const send: ReportsApplication['send'] = (...request) => reports.send(...request);
const query = '{ work_item_listing }';

describe('access to the reports', () => {
  it('is refused with problem+json before the body is read', async () => {
    const refused = await send('{', { 'content-type': 'application/json' });
    expect(refused).toMatchObject({ status: 401, body: { code: 'invalid_token', success: false } });
    expect(refused.headers).toMatchObject({
      'content-type': expect.stringMatching('^application/problem\\+json'),
      'www-authenticate': 'Bearer',
    });
    expect(await send({ query }, GOOD, 'nobody')).toMatchObject({ status: 401 });
  });

  it('needs reports:read', async () => {
    reports.permissions = ['matters:read'];
    const refused = await send({ query });
    reports.permissions = ['reports:read'];
    expect(refused).toMatchObject({ status: 403, body: { code: 'permission_denied' } });
  });

  it('is refused over the limit, whatever else is wrong', async () => {
    reports.admitted = async () => {
      throw new DomainError('too_many', 'rate_limited', 'Later.', [], { 'Retry-After': '7' });
    };
    const [counted, malformed] = [await send({ query }), await send('{')];
    reports.admitted = async () => undefined;
    for (const refused of [counted, malformed]) {
      expect(refused).toMatchObject({ status: 429, body: { code: 'rate_limited' } });
      expect(refused.headers['retry-after']).toBe('7');
    }
  });

  it('shows the limit in every answer', async () => {
    expect((await send({ query })).headers.ratelimit).toBe('"default";r=99;t=60');
    expect((await send('{')).headers.ratelimit).toBe('"default";r=99;t=60');
  });
});

it('persisted queries are refused like every other fault', async () => {
  const persistedQuery = { version: 1, sha256Hash: 'a'.repeat(64) };
  for (const body of [
    { query, extensions: { persistedQuery } },
    { extensions: { persistedQuery } },
    { query, extensions: { persistedQuery: 5 } },
  ])
    for (const accept of ['application/json', 'application/graphql-response+json'])
      expect(await send(body, { ...GOOD, accept })).toMatchObject({
        status: 400,
        body: { errors: [{ extensions: { code: 'PERSISTED_QUERY_NOT_SUPPORTED' } }] },
      });
});

it('neither answers nor refusals may be cached', async () => {
  for (const document of [query, '{', '{ nothing }'])
    expect((await send({ query: document })).headers['cache-control']).toBe('no-store');
});

it.each(['application/json', 'application/graphql-response+json'])(
  'answers come as %s to clients that ask for it, as described',
  async (accept) => {
    const { responses } = committedDescription().paths['/{tenant}/graphql'].post;
    const expectDescribed = async (document: string, status: number) => {
      const answer = await send({ query: document }, { ...GOOD, accept });
      expect(answer.status).toBe(status);
      expect(answer.headers['content-type']).toBe(`${accept}; charset=utf-8`);
      expect(Object.keys(responses[status].content ?? {})).toContain(accept);
    };
    await expectDescribed(query, 200);
    await expectDescribed('{ nothing }', 400);
    await reports.pool.query('update read_model.tenants set tenant_id = 9');
    await expectDescribed(query, 503);
    await reports.pool.query('update read_model.tenants set tenant_id = 1');
  },
);

/** The Accept header that browsers send for a page. */
const html = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
const get = (url: string, accept = '*/*', { app } = reports) =>
  app.inject({ method: 'GET', url, headers: { accept } });

describe('beside the reports', () => {
  it('serves the schema as text', async () => {
    const answer = await get('/one/graphql/schema');
    expect(answer.headers['content-type']).toMatch('text/plain');
    expect(answer.body).toBe(await printSdl());
  });

  it('serves a playground that loads nothing from elsewhere', async () => {
    const page = await get('/one/graphql', html);
    expect(page.headers['content-type']).toMatch('text/html');
    expect(page.body).not.toMatch(/https?:/);
    const addresses = [...page.body.matchAll(/(?:src|href)="(playground\/[^"]+)"/g)].map(
      ([, address]) => address,
    );
    expect(addresses).toHaveLength(5);
    for (const address of addresses) expect((await get(`/one/graphql/${address}`)).statusCode).toBe(200);
    expect((await get('/one/graphql/playground/schema.json')).json().data.__schema.queryType.name).toBe(
      'Query',
    );
    expect((await get('/one/graphql/playground/package.json')).statusCode).toBe(404);
  });

  it.each(['*/*', 'application/graphql-response+json, application/json'])(
    'does not show the playground to a client that accepts %s: queries come by POST only',
    async (accept) => {
      const answer = await get(`/one/graphql?query=${encodeURIComponent('{ fee_analysis }')}`, accept);
      expect(answer.statusCode).toBe(404);
      expect(answer.headers['content-type']).not.toMatch('text/html');
    },
  );
});

describe('outside development', () => {
  it('there is no playground', async () => {
    const other = await ReportsApplication.start({ one: 1 });
    for (const address of ['', '/playground/start.js', '/playground/react.js'])
      expect((await get(`/one/graphql${address}`, html, other)).statusCode).toBe(404);
    await other.stop();
  });
});
