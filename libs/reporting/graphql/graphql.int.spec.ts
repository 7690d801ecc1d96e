import { DomainError } from '#kernel/errors';
import { committedDescription } from '../../../test/support/contract/description';
import { waitFor } from '../../../test/support/wait-for';
import { Firm } from '../testing/firm';
import { ReportsApplication } from '../testing/reports-application';
import { printSdl } from './schema';

let reports: ReportsApplication;

beforeAll(async () => {
  reports = await ReportsApplication.start({ one: 1 }, 'development');
  await new Firm(reports.pool, 1).open();
});

afterAll(() => reports.stop());

const good = { authorization: 'Bearer good', 'content-type': 'application/json' };

async function send(payload: string | object, headers: object = good, tenant = 'one') {
  const answer = await reports.app.inject({
    method: 'POST',
    url: `/${tenant}/graphql`,
    headers: { ...headers },
    payload,
  });
  return { status: answer.statusCode, headers: answer.headers, body: answer.json() };
}

const query = '{ work_item_listing }';

describe('access to the reports', () => {
  it('is refused with problem+json before the body is read', async () => {
    const refused = await send('{', { 'content-type': 'application/json' });
    expect(refused).toMatchObject({ status: 401, body: { code: 'invalid_token', success: false } });
    expect(refused.headers).toMatchObject({
      'content-type': expect.stringMatching('^application/problem\\+json'),
      'www-authenticate': 'Bearer',
    });
    expect(await send({ query }, good, 'nobody')).toMatchObject({ status: 401 });
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
      expect(await send(body, { ...good, accept })).toMatchObject({
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
      const answer = await send({ query: document }, { ...good, accept });
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

describe('documents', () => {
  const refused = (reason: string) => ({ status: 400, body: { errors: [{ extensions: { reason } }] } });

  it('may ask for several reports, each of which is answered under its name', async () => {
    const { status, body } = await send({
      query:
        '{ work_item_listing __proto__: work_item_listing fees: fee_analysis(slice: {cols: [{colId: "day"}], groupKeys: [], sortBy: []}) }',
    });
    expect(status).toBe(200);
    const names = ['__proto__', 'fees', 'work_item_listing'];
    expect(Object.keys(body.data).sort()).toEqual(names);
    expect(Object.keys(body.extensions.report).sort()).toEqual(names);
  });

  it.each([
    ['an unknown name', `query A ${query}`, 'GetRows', 'Unknown operation named "GetRows".'],
    ['an empty name', query, '', 'Unknown operation named "".'],
    [
      'several operations and no name',
      `query A ${query} query B ${query}`,
      undefined,
      /^Must provide operation/,
    ],
  ])('are refused with %s', async (_, text, operationName, message) => {
    expect(await send({ query: text, operationName })).toMatchObject({
      status: 400,
      body: {
        errors: [
          {
            message: expect.stringMatching(message),
            extensions: { code: 'OPERATION_RESOLUTION_FAILURE' },
          },
        ],
      },
    });
  });

  it('may have group keys of every type as literals', async () => {
    const slice = 'rowGroups: [{colId: "isBillable"}, {colId: "units"}, {colId: "title"}]';
    const { body } = await send({
      query: `{ work_item_listing(slice: {${slice}, groupKeys: [true, 1.5, null]}) }`,
    });
    expect(body.data).toEqual({ work_item_listing: [] });
  });

  it('have at most 16 KiB', async () => {
    expect(await send({ query: `${query} # ${'x'.repeat(16 * 1024)}` })).toMatchObject(
      refused('DOCUMENT_TOO_LARGE'),
    );
  });

  it('have at most 4 root fields, through fragments too', async () => {
    const fields = ['a', 'b', 'c', 'd', 'e'].map((name) => `${name}: work_item_listing`).join(' ');
    expect(await send({ query: `{ ${fields} }` })).toMatchObject(refused('DOCUMENT_TOO_LARGE'));
    const fragments = `{ ...f g: work_item_listing } fragment f on Query { ${fields.slice(0, 80)} }`;
    expect((await send({ query: fragments })).status).toBe(400);
  });

  it.each([
    ['in a query', '{ SAME }'],
    ['in a fragment that no query uses', '{ __typename } fragment f on Query { SAME }'],
  ])('are refused before all fields of one name are compared with each other, %s', async (_, form) => {
    const { status, body } = await send({
      query: form.replace('SAME', '__schema{types{name}} '.repeat(700)),
    });
    expect(status).toBe(400);
    expect(body.errors).toEqual([
      {
        message: expect.stringContaining('2100 fields of the schema'),
        extensions: { code: 'BAD_USER_INPUT', reason: 'DOCUMENT_TOO_LARGE' },
      },
    ]);
  });

  it('have a depth of at most 6', async () => {
    const deep = `{ ${'work_item_listing { '.repeat(6)} x ${'} '.repeat(6)} }`;
    const { status, body } = await send({ query: deep });
    expect(status).toBe(400);
    expect(JSON.stringify(body)).toContain('DOCUMENT_TOO_LARGE');
  });

  it.each([
    ['a body that is not JSON', '{'],
    ['an empty body', ''],
    ['a batch', JSON.stringify([{ query }])],
    ['a syntax error', JSON.stringify({ query: '{' })],
    ['an unknown field', JSON.stringify({ query: '{ secrets }' })],
    ['a mutation', JSON.stringify({ query: 'mutation { a }' })],
    ['an unknown slice field', JSON.stringify({ query: '{ work_item_listing(slice: {columns: []}) }' })],
    [
      'variables of the wrong type',
      JSON.stringify({
        query: 'query ($slice: AggregationSliceSpecInput) { work_item_listing(slice: $slice) }',
        variables: { slice: { startRow: 'first' } },
      }),
    ],
  ])('are refused with 400: %s', async (_, payload) => {
    expect((await send(payload)).status).toBe(400);
  });

  it.each<[reason: string, path: string, type: string, selection: string, v: unknown]>([
    ['RANGE_INVALID', 'slice.endRow', 'Int', '{ work_item_listing(slice: {endRow: $v}) }', 'x'],
    ['GROUP_KEY_TYPE', 'slice.groupKeys[1]', 'GroupKey', '{ fee_analysis(slice: {groupKeys: [1, $v]}) }', {}],
    [
      'GROUP_KEY_TYPE',
      'slice.groupKeys[2]',
      '[GroupKey]',
      '{ fee_analysis(slice: {groupKeys: $v}) }',
      [1, 2, []],
    ],
    [
      'PERIOD_INVALID',
      'criteria.period.min',
      'Date',
      '{ ...Rows } fragment Rows on Query { fee_analysis(criteria: {period: {min: $v}}) }',
      7,
    ],
  ])(
    'are refused for a wrong variable at the place where it is used: %s at %s',
    async (reason, path, type, selection, v) => {
      const { status, body } = await send({ query: `query ($v: ${type}) ${selection}`, variables: { v } });
      expect(status).toBe(400);
      expect(body.errors[0].extensions).toMatchObject({ code: 'BAD_USER_INPUT', reason, path });
    },
  );

  it('are refused with 503 while the settings of the tenant are not readable yet', async () => {
    await reports.pool.query('update read_model.tenants set tenant_id = 9');
    const answer = await send({ query });
    await reports.pool.query('update read_model.tenants set tenant_id = 1');
    expect(answer).toMatchObject(refusedAs503('tenant_not_ready'));
    expect(answer.headers['retry-after']).toBe('1');
  });

  const refusedAs503 = (reason: string) => ({ status: 503, body: { errors: [{ extensions: { reason } }] } });

  it('are refused with 503 when the database cancels a report', async () => {
    const lock = await reports.pool.connect();
    await lock.query('begin; lock table read_model.work_items in access exclusive mode');
    const answer = send({ query });
    // the same as the statement timeout, without waiting for it
    await waitFor(
      async () => {
        const { rowCount } = await lock.query(
          `select pg_cancel_backend(pid) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
        );
        return rowCount;
      },
      { description: 'the report to wait for the table' },
    );
    await lock.query('rollback');
    lock.release();
    expect(await answer).toMatchObject(refusedAs503('report_timeout'));
  });
});

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
