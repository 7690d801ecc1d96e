import { Logger } from '@nestjs/common';
import { ReportsApplication } from './testing/reports-application';

let reports: ReportsApplication;

beforeAll(async () => {
  reports = await ReportsApplication.start({ one: 1 });
});

afterAll(() => reports.stop());

interface Refusals {
  status: number;
  errors: { message: string; extensions: Record<string, unknown> }[];
}

async function ask(query: string, more: object = {}): Promise<Refusals> {
  const { status, body } = await reports.send({ query, ...more });
  return { status, errors: body.errors };
}

async function refusalOf(query: string) {
  const { status, errors } = await ask(query);
  return { status, ...errors[0].extensions };
}

/** A value as a document writes it. */
const literal = (value: unknown) => JSON.stringify(value).replace(/"(\w+)":/g, '$1:');

/** Values that GraphQL itself refuses. */
it.each<[reason: string, path: string, slice: object, criteria: object | null]>([
  ['GROUP_KEY_TYPE', 'slice.groupKeys[1]', { groupKeys: ['a', {}] }, null],
  ['GROUP_KEY_TYPE', 'slice.groupKeys[0]', { groupKeys: [[]] }, null],
  ['RANGE_INVALID', 'slice.startRow', { startRow: '0' }, null],
  ['RANGE_INVALID', 'slice.startRow', { startRow: 0.5 }, null],
  ['RANGE_INVALID', 'slice.endRow', { endRow: 2_147_483_648 }, null],
  ['INVALID_VALUE', 'slice.sortBy[0].desc', { sortBy: [{ colId: 'day', desc: 'true' }] }, null],
  ['INVALID_VALUE', 'slice.cols[0].colId', { cols: [{ colId: 7 }] }, null],
  ['INVALID_VALUE', 'slice.cols[0]', { cols: [{ colId: 'day', nonsense: 1 }] }, null],
  ['INVALID_VALUE', 'slice', { nonsense: 1 }, null],
  ['PERIOD_INVALID', 'criteria.period.min', {}, { period: { min: 2025 } }],
  ['PERIOD_INVALID', 'criteria.period', {}, { period: '2025' }],
  ['PERIOD_INVALID', 'criteria.periodRelativeTo', {}, { periodRelativeTo: 1 }],
  ['UNKNOWN_PERIOD', 'criteria.relativePeriod', {}, { relativePeriod: 1 }],
  ['ID_INVALID', 'criteria.feeEarnerId', {}, { feeEarnerId: {} }],
  ['INVALID_VALUE', 'criteria', {}, { nonsense: 1 }],
])('a value of another type is refused: %s at %s', async (reason, path, slice, criteria) => {
  const expected = { status: 400, code: 'BAD_USER_INPUT', reason, path };
  expect(await reports.refusal('fee_analysis', slice, criteria)).toMatchObject(expected);
  const [ofSlice, ofCriteria] = [literal(slice), literal(criteria)];
  const written = `{ fee_analysis(criteria: ${ofCriteria}, slice: ${ofSlice}) }`;
  expect(await refusalOf(written)).toMatchObject(expected);
  const byDefault = `query ($c: FeeAnalysisFactCriteriaInput = ${ofCriteria}, $s: AggregationSliceSpecInput = ${ofSlice}) { ...rows } fragment rows on Query { fee_analysis(slice: $s, criteria: $c) }`;
  expect(await refusalOf(byDefault)).toMatchObject(expected);
});

it('every value of another type in a document is reported', async () => {
  const query =
    '{ a: fee_analysis(slice: {startRow: "0", endRow: 0.5}) fee_analysis(slice: {cols: {colId: X}}) }';
  const { errors } = await ask(query);
  const told = errors.map(({ extensions: { reason, path } }) => [reason, path]);
  expect(told).toEqual([
    ['RANGE_INVALID', 'slice.startRow'],
    ['RANGE_INVALID', 'slice.endRow'],
    ['INVALID_VALUE', 'slice.cols.colId'],
  ]);
});

it('a wrong variable is reported where the requested operation uses it', async () => {
  const query = `query A($x: AggregationSliceSpecInput) { fee_analysis(slice: $x) }
    query B($x: FeeAnalysisFactCriteriaInput) { fee_analysis(criteria: $x) }
    query C($x: DatePeriodInput) { ...rows } fragment rows on Query { fee_analysis(criteria: {period: $x}) }`;
  const pathIn = async (operationName: string, x: unknown) =>
    (await ask(query, { operationName, variables: { x } })).errors[0].extensions.path;
  expect(await pathIn('A', { startRow: {} })).toBe('slice.startRow');
  expect(await pathIn('B', { period: 5 })).toBe('criteria.period');
  expect(await pathIn('C', { min: 5 })).toBe('criteria.period.min');
});

it.each([
  ['slice', 'query ($x: String = "day") { fee_analysis(slice: {cols: [{colId: $x}]}) }'],
  ['criteria', 'query ($x: String = "Billed") { work_item_listing(criteria: {states: [$x]}) }'],
  ['if', 'query ($x: Boolean = true) { fee_analysis @skip(if: $x) }'],
])('null for a variable with a default is refused, and not logged as a failure: %s', async (path, query) => {
  const logged = jest.spyOn(Logger.prototype, 'error').mockReturnValue();
  const { status, errors } = await ask(query, { variables: { x: null } });
  expect(status).toBe(400);
  expect(errors[0].extensions).toEqual({ code: 'BAD_USER_INPUT', reason: 'INVALID_VALUE', path });
  expect(logged).not.toHaveBeenCalled();
  logged.mockRestore();
});

it('unknown fields of very many are refused without repeating the object around them', async () => {
  const given = Object.fromEntries(Array.from({ length: 40_000 }, (_, index) => [`v${index}`, 1]));
  const query = 'query ($c: WorkItemCriteriaInput) { work_item_listing(criteria: $c) }';
  const { status, errors } = await ask(query, { variables: { c: given } });
  expect([status, errors.length]).toEqual([400, 51]);
  expect(errors[7]).toMatchObject({
    message: expect.stringMatching(/^Variable "\$c" .* at "c": Field "v7" is not defined[^{]*$/),
    extensions: { code: 'BAD_USER_INPUT', reason: 'INVALID_VALUE', path: 'criteria' },
  });
});

it('very many values of another type are refused, and the first fifty of them reported', async () => {
  const { status, body } = await reports.post('fee_analysis', { groupKeys: Array(60).fill({}) });
  expect(status).toBe(400);
  expect(body.errors).toHaveLength(51);
  expect(body.errors[49].extensions).toMatchObject({ reason: 'GROUP_KEY_TYPE', path: 'slice.groupKeys[49]' });
  expect(body.errors[50]).toMatchObject({
    message: expect.stringContaining('Too many'),
    extensions: { code: 'BAD_USER_INPUT', reason: 'INVALID_VALUE' },
  });
});

it.each([
  '{ fee_analysis(slices: {startRow: 0}) }',
  'query ($slice: Int) { fee_analysis(slice: $slice) }',
  '{ nobody }',
  'query ($a: Int = "x") { fee_analysis }',
])('a fault of the document itself is reported without a place in the arguments: %s', async (query) => {
  const { errors } = await ask(query);
  expect(errors[0].extensions.code).toBe('GRAPHQL_VALIDATION_FAILED');
  expect(errors[0].extensions).not.toHaveProperty('path');
});

it.each([
  ['UNKNOWN_STATE', 'criteria.states[0]', { states: [1] }],
  ['UNKNOWN_STATE', 'criteria.states[1]', { states: ['Billed', null] }],
  ['UNKNOWN_WORK_ITEM_TYPE', 'criteria.workItemTypes[0]', { workItemTypes: [0] }],
  ['PERIOD_INVALID', 'criteria.entryPeriod.fixedPeriod.max', { entryPeriod: { fixedPeriod: { max: 1 } } }],
])('a value of another type is refused in the listing too: %s at %s', async (reason, path, criteria) => {
  expect(await reports.refusal('work_item_listing', {}, criteria)).toMatchObject({
    status: 400,
    reason,
    path,
  });
});
