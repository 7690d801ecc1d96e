import type { Answer, Json } from '../support/client';
import { type Firm, makeFirm } from '../support/contract/bodies';
import { type Operation, operationsOf, resolve } from '../support/contract/description';
import { naming, placesOf, requestOf, send } from '../support/contract/requests';
import { Office } from './office';
import { hour, mark } from './records';
import { columns, feeAnalysis, listingVariables, workItemListing } from './specification-walk';

/** Both firms have the same records, except for one word in every name. */
let office: Office;
let ours: Firm;
let theirs: Firm;
let description: Json;
let operations: Operation[];
let position: string;

beforeAll(async () => {
  office = await Office.open({ LOG_LEVEL: 'trace' });
  ours = await makeFirm(await office.tenant('leeds'), 'rosebud');
  theirs = await makeFirm(await office.tenant('york'), 'xanadu');
  ours.ids.promotedRequestId = await office.promotedImport('leeds');
  theirs.ids.promotedRequestId = await office.promotedImport('york');
  description = (await ours.api.get('/openapi.json')).body;
  operations = operationsOf(description);
  const { matter, employee } = theirs.ids;
  position = (await theirs.api.post('workitems', hour(matter, employee))).headers.get('x-event-position')!;
});
afterAll(() => office.close());

/** The answer has nothing of the other firm, except what the request itself contained. */
function expectNothingOf(other: Firm, { body, headers }: Answer, asked: string[] = []): void {
  let text = JSON.stringify([body ?? null, [...headers]]);
  for (const said of asked) text = text.replaceAll(said, '');
  expect(text).not.toContain(other.word);
  for (const id of Object.values(other.ids)) expect(text).not.toContain(id.split('_').at(-1));
}

/** An answer as a client sees it, without what differs from request to request. */
function seen({ status, body }: Answer, id: string): string {
  const text = JSON.stringify([status, body ?? null], (key, value) =>
    key === 'traceId' ? undefined : value,
  );
  return text.replaceAll(id, '<id>');
}

describe('reports, as one firm', () => {
  const ask = (query: string, criteria: Json, slice: Json) => ours.api.graphql(query, { criteria, slice });
  const { slice: page } = listingVariables();

  it.each([
    ['work_item_listing', workItemListing, 'employeeSortName', 'units'],
    ['fee_analysis', feeAnalysis, 'feeEarnerSortName', 'workItemFinalisedUnits'],
  ])('%s shows nothing of the other firm, at any level', async (name, query, earner, units) => {
    const total = { ...page, cols: columns([`${units}:sum`]), sortBy: [] };
    const names = [earner, 'clientSortName', 'matterTitle', 'divisionName'];
    const slices = [
      { ...page, cols: columns([...names, 'matterNumber', units]), sortBy: [] },
      { ...total, totalsOnly: true },
      ...names.map((colId) => ({ ...total, rowGroups: [{ colId }] })),
      ...names.map((colId) => ({ ...total, rowGroups: [{ colId: 'matterNumber' }], pivots: [{ colId }] })),
    ];
    for (const slice of slices) {
      const answer = await ask(query, null, slice);
      expect(answer.body.data[name]).toHaveLength(1);
      expect(JSON.stringify(answer.body.data)).toMatch(
        slice.totalsOnly ? /"\w+":10/ : new RegExp(`${ours.word}|"\\w+":10`),
      );
      expectNothingOf(theirs, answer);
    }
    for (const [colId, key] of [
      ['clientSortName', 'Smith xanadu'],
      ['matterTitle', 'Divorce xanadu'],
    ]) {
      const answer = await ask(query, null, {
        ...page,
        rowGroups: [{ colId }],
        groupKeys: [key],
        cols: columns([units]),
        sortBy: [],
      });
      expect(answer.body.data[name]).toEqual([]);
    }
    for (const kind of ['matter', 'client', 'division', name === 'fee_analysis' ? 'feeEarner' : 'employee']) {
      const id = theirs.ids[kind === 'feeEarner' ? 'employee' : kind];
      const criteria = name === 'fee_analysis' ? { [`${kind}Id`]: id } : { [`${kind}Ids`]: [id] };
      const answer = await ask(query, criteria, { ...total, totalsOnly: true });
      expect(answer.body.data).toEqual({ [name]: [{ [units]: 0 }] });
    }
    const wrong = await ask(query, null, { ...page, cols: columns(['theirName']) });
    expect(wrong.status).toBe(400);
    expectNothingOf(theirs, wrong);
  });
});

describe.each([
  ['one firm', () => [ours, theirs]],
  ['the other firm', () => [theirs, ours]],
])('as %s', (_name, firms) => {
  let own: Firm;
  let other: Firm;
  beforeAll(() => ([own, other] = firms()));

  it('the test covers every address', () => {
    const ofTenants = Object.keys(description.paths).filter((path) => path.startsWith('/{tenant}/'));
    const others = ofTenants.filter((path) => !path.startsWith('/{tenant}/api/v1/'));
    // Reports are tested separately; the schema is the same for all tenants.
    expect(others).toEqual(['/{tenant}/graphql', '/{tenant}/graphql/schema']);
    expect(operations.length).toBeGreaterThan(100);
  });

  it('no list has anything of the other firm, whatever the parameters', async () => {
    const lists = operations.filter(({ parameters }) =>
      parameters.some(({ name }) => name === 'changedAfter'),
    );
    expect(lists.length).toBeGreaterThanOrEqual(14);
    for (const operation of lists) {
      const request = await requestOf(operation, own, operations);
      const ask = async (query: Record<string, string>, said: string[] = []) => {
        const answer = await send(own.api, { ...request, query });
        expectNothingOf(other, answer, said);
        return answer.body.data;
      };
      const all = { includeDeleted: 'true', includeTotalCount: 'true' };
      const whole = await ask({ ...all, pageSize: '200' });
      expect(whole.rows.length).toBeGreaterThan(0);
      expect(whole.totalCount).toBe(whole.rows.length);
      const none = await ask({ ...all, keywords: other.word }, [other.word]);
      expect([operation.id, none]).toMatchObject([operation.id, { rows: [], totalCount: 0 }]);
      await ask({ changedAfter: position }, [position]);
      await ask({ keywords: other.word, colour: '1' }, [other.word]);
    }
  });

  it('no route shows anything of the other firm', async () => {
    for (const operation of operations) {
      const answer = await send(own.api, await requestOf(operation, own, operations));
      expect([operation.id, answer.body?.detail]).toEqual([operation.id, undefined]);
      expectNothingOf(other, answer);
    }
  });

  it('no route distinguishes a record of the other firm from an unknown one, wherever a request can name it', async () => {
    let named = 0;
    // The client chooses the id of a webhook, so the id of another tenant's webhook is valid.
    for (const operation of operations.filter(({ id }) => id !== 'registerWebhook')) {
      for (const place of placesOf(operation, (schema) => resolve(description, schema))) {
        const request = await requestOf(operation, own, operations);
        const ask = async (id: string) => {
          const answer = await send(own.api, naming(request, place, id, own.ids));
          expectNothingOf(other, answer, [id]);
          return answer;
        };
        const id = other.ids[place.kind];
        const theirs = await ask(id);
        const nobodys = `${place.kind}_${'0'.repeat(32)}`;
        const what = [operation.id, place.at.join('/')].join(' ');
        expect([what, seen(theirs, id)]).toEqual([what, seen(await ask(nobodys), nobodys)]);
        const { code, data } = theirs.body;
        // References that may be fixed, requests about many records, and lists have other answers for unknown records.
        const isUnknown = data
          ? data.rows.every((row: Json) => row.code === 'not_found')
          : /(not_found|_fixed)$/.test(code);
        expect([what, code, isUnknown]).toEqual([what, code, true]);
        named++;
      }
    }
    expect(named).toBeGreaterThan(150);
  });
});

it('no number, reference or key of the other firm counts as taken', async () => {
  for (const { ids, api } of [ours, theirs]) {
    const [client, matter] = [
      await api.data('GET', `clients/${ids.client}`),
      await api.data('GET', `matters/${ids.matter}`),
    ];
    expect(client).toMatchObject({ clientNumber: '1', externalReference: 'S1' });
    expect(matter).toMatchObject({ matterNumber: '1', externalReference: 'S1' });
  }
  const both = await office.integration('leeds');
  const grant = [
    'integrations',
    'grant',
    '--client-id',
    both.clientId,
    '--tenant',
    'york',
    '--limit',
    '100000',
  ];
  await office.cli(...grant);
  const key = { 'Idempotency-Key': mark() };
  const made = [];
  for (const tenant of ['leeds', 'york']) {
    const api = await office.caller(tenant, both);
    const answer = await api.post('divisions', { name: 'Same', externalReference: 'D1' }, key);
    expect([answer.status, answer.headers.get('idempotent-replayed')]).toEqual([201, null]);
    made.push(answer.body.data.id);
  }
  expect(made[0]).not.toBe(made[1]);
});

describe('the log', () => {
  it('names no person, no title, no token and no secret', async () => {
    await ours.api.get('matters?keywords=rosebud&colour=1');
    await ours.api.post('entities', { entityType: 'Individual', lastName: 'rosebud', email: 'rosebud' });
    await ours.api.send('GET', '/leeds/api/v1/matters', undefined, { Authorization: 'Bearer rosebud' });
    const text = office.output();
    expect(text).not.toMatch(/rosebud|xanadu|Divorce|Smith/);
    expect(text).not.toContain(ours.api.token.split('.')[2]);
  });
});
