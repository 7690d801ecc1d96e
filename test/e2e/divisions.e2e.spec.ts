import type { ApiClient } from '../support/client';
import { Office } from './office';
import { behavesAsRecords } from './record-behaviour';
import { employee, mark, matter } from './records';
import { expectProblem } from './refusals';

let office: Office;
let api: ApiClient;
let stranger: ApiClient;
let colleague: ApiClient;

beforeAll(async () => {
  office = await Office.join();
  [api, stranger] = [await office.tenant(), await office.tenant()];
  colleague = await office.caller(api.tenant, await office.integration(api.tenant));
});
afterAll(() => office.close());

describe('divisions', () => {
  behavesAsRecords(
    {
      path: 'divisions',
      kind: 'division',
      optional: { field: 'code', first: 'CON', second: 'LIT' },
      required: 'name',
      sorts: ['name', 'code', 'createdOn', 'updatedOn'],
      actions: ['activate', 'deactivate'],
      badFilters: ['state=3', 'state=Active'],
    },
    () => ({ api, stranger, colleague, body: async (keyword) => ({ name: `Division ${keyword}` }) }),
  );

  const make = (fields: object = {}) => api.data('POST', 'divisions', { name: mark(), ...fields });

  it('starts with one active default division, which can be neither deactivated nor deleted', async () => {
    const fresh = stranger;
    const [general, ...others] = await fresh.rows('divisions');
    expect(others).toEqual([]);
    expect(general).toMatchObject({ name: 'General', isDefault: true, state: 1, stateName: 'Active' });
    const address = `divisions/${general.id}`;
    expectProblem(await fresh.post(`${address}/deactivate`), 409, 'last_active_division');
    expectProblem(await fresh.delete(address), 409, 'last_active_division');
    await fresh.create('divisions', { name: 'Second' });
    expectProblem(await fresh.post(`${address}/deactivate`), 409, 'default_division');
    expectProblem(await fresh.delete(address), 409, 'default_division');
    expectProblem(await fresh.patch(address, { isDefault: false }), 409, 'default_division');
    expectProblem(await fresh.patch(address, { isDefault: null }), 409, 'default_division');
  });

  it('has one default at a time', async () => {
    const [before] = (await api.rows('divisions')).filter(({ isDefault }) => isDefault);
    const next = await make({ isDefault: true });
    expect(next.isDefault).toBe(true);
    expect(await api.data('GET', `divisions/${before.id}`)).toMatchObject({ isDefault: false });
    await api.data('PATCH', `divisions/${before.id}`, { isDefault: true });
    const defaults = (await api.rows('divisions')).filter(({ isDefault }) => isDefault);
    expect(defaults.map(({ id }) => id)).toEqual([before.id]);
  });

  it('is deactivated and activated, with one event each', async () => {
    const { id } = await make();
    expect(await api.data('POST', `divisions/${id}/deactivate`)).toMatchObject({
      state: 2,
      stateName: 'Inactive',
      version: 2,
    });
    const again = await api.post(`divisions/${id}/deactivate`);
    expect({ version: again.body.data.version, position: again.headers.get('x-event-position') }).toEqual({
      version: 2,
      position: null,
    });
    expect((await api.rows('divisions', { state: 2 })).map((row) => row.id)).toContain(id);
    expect((await api.rows('divisions', { state: 1 })).map((row) => row.id)).not.toContain(id);
    expectProblem(await api.patch(`divisions/${id}`, { isDefault: true }), 409, 'division_not_active');
    const employeeBody = { entityId: `entity_${'0'.repeat(32)}`, divisionId: id };
    expectProblem(await api.post('employees', employeeBody), 422, 'entity_not_found', '/entityId');
    expect(await api.data('POST', `divisions/${id}/activate`)).toMatchObject({ state: 1, version: 3 });
  });

  it('is not deleted while matters or employees are in it', async () => {
    const { id } = await make();
    const eve = await employee(api, { divisionId: id });
    const work = await matter(api, { divisionId: id });
    const refused = await api.delete(`divisions/${id}`);
    expectProblem(refused, 409, 'in_use');
    expect(refused.body.detail).toContain('2 other records');
    await api.data('PATCH', `employees/${eve}`, { divisionId: null });
    await api.delete(`matters/${work}`);
    expect((await api.delete(`divisions/${id}`)).status).toBe(204);
  });

  it.each([
    [{}, '/name'],
    [{ name: '  ' }, '/name'],
    [{ name: 7 }, '/name'],
    [{ name: 'x'.repeat(201) }, '/name'],
    [{ name: 'x', code: 'x'.repeat(21) }, '/code'],
    [{ name: 'x', isDefault: 'yes' }, '/isDefault'],
    [{ name: 'x', state: 2 }, '/state'],
    [{ name: 'x', externalReference: 5 }, '/externalReference'],
  ])('refuses %j', async (body, pointer) => {
    expectProblem(await api.post('divisions', body), 422, 'validation_failed', pointer);
  });
});
