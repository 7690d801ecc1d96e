import { type Answer, ApiClient, type Json } from '../support/client';
import { Office } from './office';
import { activeClient, employee, generalDivision, hour, mark, matter, newClient, person } from './records';
import { expectProblem } from './refusals';

let office: Office;
let api: ApiClient;

beforeAll(async () => {
  office = await Office.join();
  api = await office.tenant();
});
afterAll(() => office.close());

const times = <T>(count: number, make: (index: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => make(index)));
const statuses = (answers: Answer[]) => [...new Set(answers.map(({ status }) => status))].sort();

/** Writes once more, so that the reads of this client wait for everything that was written before. */
const settle = () => person(api);

describe('many at once', () => {
  it('50 work items on one matter: every one of them, once', async () => {
    const [matterId, employeeId] = [await matter(api), await employee(api)];
    const made = await times(50, (index) =>
      api.create('workitems', hour(matterId, employeeId, { units: index })),
    );
    await settle();
    const rows = await api.rows('workitems', { matterId, pageSize: 200 });
    expect(rows.map(({ id }) => id).sort()).toEqual(made.sort());
    expect(rows.map(({ units }) => units).sort((a, b) => a - b)).toEqual(
      Array.from({ length: 50 }, (_, index) => index),
    );
  });

  it('numbers: no gaps and no duplicates', async () => {
    const [clientId, divisionId] = [await activeClient(api), await generalDivision(api)];
    const made = await times(30, (index) =>
      api.data('POST', 'matters', { clientId, divisionId, title: `${index}` }),
    );
    const numbers = made.map(({ matterNumber }) => Number(matterNumber)).sort((a, b) => a - b);
    expect(numbers).toEqual(numbers.map((_, index) => numbers[0] + index));
  });

  it('one entity, twenty clients of it: only one is created', async () => {
    const entityId = await person(api);
    const answers = await times(20, () => api.post('clients', { entityId }));
    const made = answers.filter(({ status }) => status === 201);
    expect(made).toHaveLength(1);
    for (const answer of answers) if (answer !== made[0]) expectProblem(answer, 409, 'entity_client_taken');
  });

  it('one Idempotency-Key, twenty times: one record, and the same answer for all', async () => {
    const key = { 'Idempotency-Key': mark() };
    const lastName = mark();
    const answers = await times(20, () => api.post('entities', { entityType: 'Individual', lastName }, key));
    for (const answer of answers) expect(answer).toMatchObject({ status: 201, body: answers[0].body });
    expect(answers.filter(({ headers }) => !headers.has('idempotent-replayed'))).toHaveLength(1);
    await settle();
    expect(await api.rows('entities', { keywords: lastName })).toHaveLength(1);
  });

  it('one Idempotency-Key with different bodies: only one is carried out', async () => {
    const key = { 'Idempotency-Key': mark() };
    const family = mark();
    const answers = await times(10, (index) =>
      api.post('entities', { entityType: 'Individual', lastName: family, firstName: `${index}` }, key),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    for (const answer of answers)
      if (answer.status !== 201) expectProblem(answer, 422, 'idempotency_key_reused');
    await settle();
    expect(await api.rows('entities', { keywords: family })).toHaveLength(1);
  });

  it('changes of one record: each takes effect, or is refused as concurrent', async () => {
    const id = await person(api);
    const answers = await times(30, (index) => api.patch(`entities/${id}`, { firstName: `Ada ${index}` }));
    for (const answer of answers) if (answer.status !== 200) expectProblem(answer, 409, 'concurrent_update');
    const done = answers.filter(({ status }) => status === 200);
    const versions = done.map(({ headers }) => Number(headers.get('etag')!.replaceAll('"', '')));
    expect(versions.sort((a, b) => a - b)).toEqual(done.map((_, index) => index + 2));
    expect(await api.data('GET', `entities/${id}`)).toMatchObject({ version: done.length + 1 });
    const { rows } = await api.data('GET', `entities/${id}/history`);
    expect(rows.map(({ version }: Json) => version)).toEqual(rows.map((_: Json, index: number) => index + 1));
  });

  it('one If-Match, ten times: one wins', async () => {
    const id = await person(api);
    const answers = await times(10, (index) =>
      api.patch(`entities/${id}`, { firstName: `Eve ${index}` }, { 'If-Match': '"1"' }),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    for (const answer of answers) if (answer.status !== 200) expectProblem(answer, 412, 'version_mismatch');
  });
});

describe('two processes that write', () => {
  let both: ApiClient[];

  beforeAll(async () => {
    const second = await office.start('command');
    const other = new ApiClient(api.tenant, api.token, { writes: second.baseUrl, reads: office.app.baseUrl });
    both = [api, other];
  });

  it('number matters without gaps, duplicates or refusals', async () => {
    const [clientId, divisionId] = [await activeClient(api), await generalDivision(api)];
    const body = { clientId, divisionId, title: 'x' };
    const made = await times(40, (index) => both[index % 2].data('POST', 'matters', body));
    const numbers = made.map(({ matterNumber }) => Number(matterNumber)).sort((a, b) => a - b);
    expect(numbers).toEqual(numbers.map((_, index) => numbers[0] + index));
  });

  it('carry out one Idempotency-Key once', async () => {
    const key = { 'Idempotency-Key': mark() };
    const lastName = mark();
    const body = { entityType: 'Individual', lastName };
    const answers = await times(20, (index) => both[index % 2].post('entities', body, key));
    for (const answer of answers) expect(answer).toMatchObject({ status: 201, body: answers[0].body });
    await settle();
    expect(await api.rows('entities', { keywords: lastName })).toHaveLength(1);
  });

  it('never leave an open matter to an inactive client', async () => {
    for (let round = 0; round < 5; round++) {
      const clientId = await activeClient(api);
      const body = { clientId, divisionId: await generalDivision(api), title: 'x' };
      const opening = times(4, (index) => both[index % 2].post('matters', body));
      const [opened, closed] = await Promise.all([opening, both[1].post(`clients/${clientId}/deactivate`)]);
      const open = opened.filter(({ status }) => status === 201).length;
      expect(closed.status).toBe(open > 0 ? 409 : 200);
      await settle();
      expect(await api.rows('matters', { clientId })).toHaveLength(open);
    }
  });
});

describe('a rule that spans records', () => {
  it.each([1, 2, 3, 4, 5])('no open matter of an inactive client, whatever is first (%d)', async () => {
    const clientId = await activeClient(api);
    const divisionId = await generalDivision(api);
    const opening = times(6, (index) => api.post('matters', { clientId, divisionId, title: `${index}` }));
    const closing = api.post(`clients/${clientId}/deactivate`);
    const [opened, closed] = await Promise.all([opening, closing]);
    await settle();
    const matters = await api.rows('matters', { clientId });
    const { stateName } = await api.data('GET', `clients/${clientId}`);
    expect(matters).toHaveLength(opened.filter(({ status }) => status === 201).length);
    expect({ stateName, closed: closed.status }).toEqual(
      matters.length > 0 ? { stateName: 'Active', closed: 409 } : { stateName: 'Inactive', closed: 200 },
    );
    for (const answer of opened) if (answer.status !== 201) expectProblem(answer, 422, 'client_not_active');
  });

  it.each([1, 2, 3])('no unbilled work on a closed matter (%d)', async () => {
    const [matterId, employeeId] = [await matter(api), await employee(api)];
    const working = times(6, () => api.post('workitems', hour(matterId, employeeId)));
    const [worked, closed] = await Promise.all([working, api.post(`matters/${matterId}/close`)]);
    await settle();
    const items = await api.rows('workitems', { matterId });
    const { stateName } = await api.data('GET', `matters/${matterId}`);
    expect(items).toHaveLength(worked.filter(({ status }) => status === 201).length);
    expect({ stateName, closed: closed.status }).toEqual(
      items.length > 0 ? { stateName: 'Open', closed: 409 } : { stateName: 'Closed', closed: 200 },
    );
  });

  it.each([1, 2, 3])('no client of a deleted entity (%d)', async () => {
    const entityId = await person(api);
    const [made, gone] = await Promise.all([
      api.post('clients', { entityId }),
      api.delete(`entities/${entityId}`),
    ]);
    expect([
      [201, 409],
      [422, 204],
    ]).toContainEqual([made.status, gone.status]);
  });

  it('one division stays active, however many are deactivated at once', async () => {
    const york = await office.tenant();
    const ids = [await generalDivision(york)];
    for (let count = 0; count < 4; count++) ids.push(await york.create('divisions', { name: mark() }));
    const answers = await Promise.all(ids.map((id) => york.post(`divisions/${id}/deactivate`)));
    expect(statuses(answers)).toEqual([200, 409]);
    await york.create('divisions', { name: mark() });
    const active = await york.rows('divisions', { state: 1 });
    expect(active.length).toBeGreaterThan(1);
    expect(active.filter(({ isDefault }) => isDefault)).toHaveLength(1);
  });

  it('one client, activated and deactivated twenty times at once, ends in the state that its history shows', async () => {
    const id = await newClient(api);
    await api.data('POST', `clients/${id}/activate`);
    await times(20, (index) => api.post(`clients/${id}/${index % 2 ? 'activate' : 'deactivate'}`));
    const { rows } = await api.data('GET', `clients/${id}/history`);
    const types = rows.slice(1).map(({ type }: Json) => type);
    for (const [index, type] of types.entries()) {
      expect(type).toBe(index % 2 ? 'ClientDeactivated' : 'ClientActivated');
    }
    await settle();
    const { state, version } = await api.data('GET', `clients/${id}`);
    expect({ state, version }).toEqual({ state: types.length % 2 ? 1 : 2, version: rows.length });
  });
});
