import { Firm, workedExamples } from './testing/firm';
import { cols, columns, type ReportName, ReportsApplication } from './testing/reports-application';

let reports: ReportsApplication;

beforeAll(async () => {
  reports = await ReportsApplication.start({ one: 1 });
  await workedExamples(await new Firm(reports.pool, 1).open());
});

afterEach(async () => {
  // None of the requests before may have changed the data.
  const { rows } = await reports.rows('work_item_listing', {
    totalsOnly: true,
    cols: cols('units:sum', 'id:count'),
  });
  expect(rows).toEqual([{ units: 15, id: 6 }]);
});

afterAll(() => reports.stop());

async function send(payload: string | object): Promise<{ status: number; text: string }> {
  const answer = await reports.app.inject({
    method: 'POST',
    url: '/one/graphql',
    headers: { authorization: 'Bearer good', 'content-type': 'application/json' },
    payload,
  });
  return { status: answer.statusCode, text: answer.body };
}

const injections = [
  `'; drop table read_model.work_items; --`,
  `") from pg_sleep(60); --`,
  `$1`,
  `\\'; select pg_sleep(60)`,
  `%s{}__proto__\u202e`,
  `units" = 1 or "1"="1`,
];

describe.each<[ReportName, measure: string, name: string]>([
  ['work_item_listing', 'units', 'employeeSortName'],
  ['fee_analysis', 'workItemFinalisedUnits', 'feeEarnerSortName'],
])('SQL in the text fields of %s', (report, measure, name) => {
  const group = { rowGroups: columns(name), cols: cols(`${measure}:sum`) };

  it.each(injections)('is an unknown name where a name is expected: %s', async (text) => {
    const unknown = [
      { cols: columns(text) },
      { rowGroups: columns(text) },
      { ...group, pivots: columns(text) },
      { sortBy: columns(text) },
      { ...group, filterZero: true, filterZeroField: text },
    ];
    for (const slice of unknown) expect((await reports.refusal(report, slice)).reason).toBe('UNKNOWN_COLUMN');
    const aggFunc = { ...group, cols: [{ colId: measure, aggFunc: text }] };
    expect((await reports.refusal(report, aggFunc)).reason).toBe('UNKNOWN_AGG');
  });

  it.each(injections)('is only a value where a value is expected: %s', async (text) => {
    const inside = { ...group, rowGroups: columns(name, 'matterNumber'), groupKeys: [text] };
    expect((await reports.rows(report, inside)).rows).toEqual([]);
    const totals = { ...inside, totalsOnly: true };
    expect((await reports.rows(report, totals)).rows).toEqual([{ [measure]: 0 }]);
  });
});

it.each(injections)('SQL in the criteria is refused: %s', async (text) => {
  const listing = [
    [{ entryPeriod: { relativePeriod: text } }, 'UNKNOWN_PERIOD'],
    [{ entryPeriod: { fixedPeriod: { min: text, max: null } } }, 'PERIOD_INVALID'],
    [{ states: [text] }, 'UNKNOWN_STATE'],
    [{ workItemTypes: [text] }, 'UNKNOWN_WORK_ITEM_TYPE'],
    ...['matterIds', 'clientIds', 'employeeIds', 'divisionIds'].map((ids) => [
      { [ids]: [text] },
      'ID_INVALID',
    ]),
  ];
  for (const [criteria, reason] of listing)
    expect((await reports.refusal('work_item_listing', {}, criteria as object)).reason).toBe(reason);
  const fees = [
    [{ periodRelativeTo: text, relativePeriod: 'TODAY' }, 'PERIOD_INVALID'],
    ...['feeEarnerId', 'matterId', 'clientId', 'divisionId'].map((id) => [{ [id]: text }, 'ID_INVALID']),
  ];
  for (const [criteria, reason] of fees)
    expect((await reports.refusal('fee_analysis', {}, criteria as object)).reason).toBe(reason);
});

const many = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));

it.each<[what: string, slice: object, reason: string | null]>([
  ['a megabyte of group keys', { groupKeys: many(9_000, () => 'x'.repeat(100)) }, 'GROUP_KEYS_TOO_LONG'],
  ['10,000 columns', { cols: many(10_000, () => ({ colId: 'units' })) }, 'DUPLICATE_COLUMN'],
  ['10,000 unknown columns', { cols: many(10_000, (index) => ({ colId: `c${index}` })) }, 'UNKNOWN_COLUMN'],
  ['10,000 groups', { rowGroups: many(10_000, () => ({ colId: 'state' })) }, 'DUPLICATE_COLUMN'],
  [
    '10,000 sort columns',
    { cols: cols('units'), sortBy: many(10_000, () => ({ colId: 'units', desc: true })) },
    null,
  ],
  ['a row past all rows', { cols: cols('units'), startRow: 2_147_483_000, endRow: 2_147_483_010 }, null],
  [
    'a group key of 900 KB',
    { rowGroups: columns('title'), groupKeys: ['y'.repeat(900_000)], cols: cols('id') },
    null,
  ],
])('a very large slice is answered, or refused with a reason: %s', async (_, slice, reason) => {
  const { status, body } = await reports.post('work_item_listing', slice);
  if (reason === null) expect([status, body.errors]).toEqual([200, undefined]);
  else expect([status, body.errors[0].extensions.reason]).toEqual([400, reason]);
});

it('half a character is refused', async () => {
  expect((await send('{"query": "\\ud800"}')).status).toBe(400);
});

it('a number that is too large for JavaScript is refused', async () => {
  const query = 'query ($slice: AggregationSliceSpecInput) { work_item_listing(slice: $slice) }';
  const { status, text } = await send(`{"query": "${query}", "variables": {"slice": {"startRow": 1e999}}}`);
  expect([status, JSON.parse(text).errors[0].extensions.reason]).toEqual([400, 'RANGE_INVALID']);
});

it('a body of more than a megabyte is refused with 413', async () => {
  const { status } = await send({ query: '{ work_item_listing }', variables: { text: 'x'.repeat(1 << 20) } });
  expect(status).toBe(413);
});

it.each([
  ['a thousand aliases', `{ ${many(1_000, (index) => `a${index}: work_item_listing`).join(' ')} }`],
  [
    'a document of more than 16 KB',
    `{ work_item_listing(slice: {cols: [${'{colId: "units"} '.repeat(2_000)}]}) }`,
  ],
  ['lists in lists', `{ work_item_listing(slice: {cols: ${'['.repeat(5_000)}${']'.repeat(5_000)}}) }`],
  ['objects in objects', `{ work_item_listing(slice: ${'{cols: '.repeat(1_500)}1${'}'.repeat(1_500)}) }`],
  [
    'lists of lists as a type',
    `query ($a: ${'['.repeat(5_000)}Int${']'.repeat(5_000)}) { work_item_listing(slice: {startRow: $a}) }`,
  ],
  ['fragments in a circle', 'query { ...a } fragment a on Query { ...b } fragment b on Query { ...a }'],
  [
    'a deep introspection',
    `{ __schema { types ${'{ fields { type '.repeat(300)} { name } ${'} }'.repeat(300)} } }`,
  ],
])('a hostile document is refused: %s', async (_, query) => {
  const { status, text } = await send({ query });
  expect(status).toBe(400);
  const { errors } = JSON.parse(text);
  expect(errors[0].message).toEqual(expect.any(String));
  expect(text).not.toMatch(/node_modules|at .*\.(js|ts):/);
});

it.each(['{"query": "{ work_item_listing }"', '[[[[', '{"query": 1}', '"x"', 'null'])(
  'a body that is no request is refused: %s',
  async (payload) => {
    expect((await send(payload)).status).toBe(400);
  },
);
