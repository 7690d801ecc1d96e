import { waitFor } from '../../../test/support/wait-for';
import { Firm } from '../testing/firm';
import { ReportsApplication } from '../testing/reports-application';

let reports: ReportsApplication;

beforeAll(async () => {
  reports = await ReportsApplication.start({ one: 1 });
  await new Firm(reports.pool, 1).open();
});

afterAll(() => reports.stop());

const send: ReportsApplication['send'] = (...request) => reports.send(...request);

const query = '{ work_item_listing }';

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
