import type { Answer, ApiClient, Json } from '../support/client';
import { Office } from './office';
import { hour, mark } from './records';
import { columns, feeAnalysis, listingVariables, workItemListing } from './specification-walk';

/** Records of a firm by their kind; both firms have the same, but for one word in every name. */
type Firm = { api: ApiClient; word: string; ids: Record<string, string>; position: string };

let office: Office;
let ours: Firm;
let theirs: Firm;
let description: Json;

async function firm(api: ApiClient, word: string): Promise<Firm> {
  const person = { entityType: 'Individual', lastName: `Smith ${word}`, email: `smith@${word}.example` };
  const entity = await api.create('entities', { ...person, externalReference: 'S1' });
  const division = await api.create('divisions', { name: `Family ${word}`, code: 'FAM' });
  const client = await api.create('clients', { entityId: entity, externalReference: 'S1' });
  await api.data('POST', `clients/${client}/activate`);
  const employee = await api.create('employees', { entityId: entity, divisionId: division, jobTitle: word });
  const opening = {
    clientId: client,
    divisionId: division,
    title: `Divorce ${word}`,
    externalReference: 'S1',
  };
  const matter = await api.create('matters', { ...opening, responsiblePersonId: employee });
  const item = await api.post('workitems', hour(matter, employee, { title: `Letter ${word}` }));
  const ids = { entity, division, client, employee, matter, workitem: item.body.data.id };
  return { api, word, ids, position: item.headers.get('x-event-position')! };
}

beforeAll(async () => {
  office = await Office.open({ LOG_LEVEL: 'trace' });
  const leeds = await office.tenant('leeds');
  ours = await firm(leeds, 'rosebud');
  theirs = await firm(await office.tenant('york'), 'xanadu');
  description = (await leeds.get('/openapi.json')).body;
});
afterAll(() => office.close());

/** Nothing of the other firm is in the answer, but for what the request itself said. */
function expectNothingOfTheirs({ body, headers }: Answer, asked: string[] = []): void {
  let text = JSON.stringify([body ?? null, [...headers]]);
  for (const said of asked) text = text.replaceAll(said, '');
  expect(text).not.toContain(theirs.word);
  for (const id of Object.values(theirs.ids)) expect(text).not.toContain(id.split('_')[1]);
}

const kindOf: Record<string, string> = {
  entities: 'entity',
  clients: 'client',
  employees: 'employee',
  divisions: 'division',
  matters: 'matter',
  workitems: 'workitem',
};
const areaOf = (path: string) => path.split('/')[4];

/** Every route of the description whose path matches, with its methods. */
function routes(pattern: RegExp): { method: string; path: string; parameters: string[] }[] {
  return Object.entries<Json>(description.paths)
    .filter(([path]) => pattern.test(path))
    .flatMap(([path, { parameters: _, ...methods }]) =>
      Object.entries<Json>(methods).map(([method, { parameters = [] }]) => ({
        method: method.toUpperCase(),
        path: path.replace('{tenant}', 'leeds'),
        parameters: parameters.filter((each: Json) => each.in === 'query').map((each: Json) => each.name),
      })),
    );
}

describe('as one firm, with what the other has', () => {
  it('no route knows a record by its id', async () => {
    const found = routes(/\{id\}/);
    expect(found.length).toBeGreaterThanOrEqual(30);
    for (const { method, path } of found) {
      const id = theirs.ids[kindOf[areaOf(path)]];
      const body =
        method === 'GET' || method === 'DELETE'
          ? undefined
          : path.endsWith('writeoff')
            ? { reason: 'x' }
            : {};
      const answer = await ours.api.send(method, path.replace('{id}', id), body);
      expect({ method, path, status: answer.status }).toEqual({ method, path, status: 404 });
      expectNothingOfTheirs(answer, [id]);
    }
    const many = await ours.api.post('workitems/finalise', { ids: [theirs.ids.workitem] });
    expect(many.body.data.rows).toMatchObject([{ success: false, code: 'not_found' }]);
    expectNothingOfTheirs(many, [theirs.ids.workitem]);
  });

  it('no list finds one, by any filter', async () => {
    const lists = routes(/v1\/[a-z]+$/).filter(
      ({ method, path }) => method === 'GET' && kindOf[areaOf(path)],
    );
    expect(lists).toHaveLength(6);
    for (const { path, parameters } of lists) {
      const all = await ours.api.get(`${path}?includeDeleted=true&includeTotalCount=true&pageSize=200`);
      expectNothingOfTheirs(all);
      expect(all.body.data.rows.length).toBeGreaterThan(0);
      expect(all.body.data.totalCount).toBe(all.body.data.rows.length);
      const values: Record<string, string> = {
        keywords: theirs.word,
        ids: theirs.ids[kindOf[areaOf(path)]],
        responsiblePersonId: theirs.ids.employee,
      };
      for (const kind of Object.values(kindOf)) values[`${kind}Id`] = theirs.ids[kind];
      for (const name of parameters.filter((each) => each in values)) {
        const query = `${path}?${name}=${values[name]}&includeDeleted=true&includeTotalCount=true`;
        const answer = await ours.api.get(query);
        expect({ query, data: answer.body.data }).toMatchObject({ query, data: { rows: [], totalCount: 0 } });
      }
      expectNothingOfTheirs(await ours.api.get(`${path}?changedAfter=${theirs.position}`), [theirs.position]);
      expectNothingOfTheirs(await ours.api.get(`${path}?keywords=${theirs.word}&colour=1`), [theirs.word]);
    }
    expectNothingOfTheirs(await ours.api.get('tenants'));
  });

  it('no body may refer to one', async () => {
    const { entity, division, client, employee, matter } = theirs.ids;
    const own = ours.ids;
    const opening = { clientId: own.client, divisionId: own.division, title: 'x' };
    const work = hour(own.matter, own.employee) as Record<string, unknown>;
    const bodies: [string, Record<string, unknown>, string, string][] = [
      ['clients', {}, 'entityId', entity],
      ['clients', { entityId: own.entity }, 'billingContactId', entity],
      ['employees', {}, 'entityId', entity],
      ['employees', { entityId: own.entity }, 'divisionId', division],
      ['matters', opening, 'clientId', client],
      ['matters', opening, 'divisionId', division],
      ...['responsiblePersonId', 'actingPersonId', 'assistingPersonId'].map(
        (field): (typeof bodies)[number] => ['matters', opening, field, employee],
      ),
      ['matters', opening, 'introducerId', entity],
      ['matters', opening, 'billingContactId', entity],
      ['workitems', work, 'employeeId', employee],
      ['workitems', work, 'matterId', matter],
    ];
    for (const [area, body, field, id] of bodies) {
      const answer = await ours.api.post(area, { ...body, [field]: id });
      expect({ field, status: answer.status, code: answer.body.code }).toEqual({
        field,
        status: 422,
        code: `${id.split('_')[0]}_not_found`,
      });
      expectNothingOfTheirs(answer, [id]);
    }
  });

  it('no number, reference or key of theirs is taken', async () => {
    for (const { ids, api } of [ours, theirs]) {
      expect(await api.data('GET', `clients/${ids.client}`)).toMatchObject({
        clientNumber: '1',
        externalReference: 'S1',
      });
      expect(await api.data('GET', `matters/${ids.matter}`)).toMatchObject({
        matterNumber: '1',
        externalReference: 'S1',
      });
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
});

describe('reports, as one firm', () => {
  const ask = (query: string, criteria: Json, slice: Json) => ours.api.graphql(query, { criteria, slice });
  const { slice: page } = listingVariables();

  it.each([
    ['work_item_listing', workItemListing, 'employeeSortName', 'units'],
    ['fee_analysis', feeAnalysis, 'feeEarnerSortName', 'workItemFinalisedUnits'],
  ])('%s shows nothing of the other, at any level', async (name, query, earner, units) => {
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
      expectNothingOfTheirs(answer);
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
    expectNothingOfTheirs(wrong);
  });
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
