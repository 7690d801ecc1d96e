import type { ApiClient } from '../support/client';
import { Office } from './office';
import { behavesAsRecords } from './record-behaviour';
import { generalDivision, mark, matter } from './records';
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

describe('mattertypes', () => {
  behavesAsRecords(
    {
      path: 'mattertypes',
      kind: 'mattertype',
      optional: { field: 'code', first: 'RES', second: 'COM' },
      required: 'name',
      sorts: ['name', 'code', 'createdOn', 'updatedOn'],
      actions: ['activate', 'deactivate'],
      badFilters: ['state=3', 'parentId=7'],
    },
    () => ({ api, stranger, colleague, body: async (keyword) => ({ name: `Type ${keyword}` }) }),
  );

  const make = (fields: object = {}) => api.data('POST', 'mattertypes', { name: mark(), ...fields });

  it('has two levels', async () => {
    const [top, other] = [await make(), await make()];
    const below = await make({ parentId: top.id });
    const list = await api.rows('mattertypes', { parentId: top.id });
    expect(list).toMatchObject([{ id: below.id, parentId: top.id, parentName: top.name }]);
    const tooDeep = { name: 'x', parentId: below.id };
    expectProblem(await api.post('mattertypes', tooDeep), 422, 'mattertype_too_deep', '/parentId');
    const moved = await api.patch(`mattertypes/${top.id}`, { parentId: other.id });
    expectProblem(moved, 409, 'mattertype_too_deep');
    const itself = await api.patch(`mattertypes/${other.id}`, { parentId: other.id });
    expectProblem(itself, 422, 'mattertype_too_deep', '/parentId');
    expectProblem(await api.delete(`mattertypes/${top.id}`), 409, 'in_use');
    await api.data('PATCH', `mattertypes/${below.id}`, { parentId: null });
    await api.data('PATCH', `mattertypes/${top.id}`, { parentId: other.id });
  });

  it('cannot be below another type while it has types below it', async () => {
    const [one, other] = [await make(), await make()];
    const [up, down] = await Promise.all([
      api.patch(`mattertypes/${one.id}`, { parentId: other.id }),
      api.patch(`mattertypes/${other.id}`, { parentId: one.id }),
    ]);
    expect([up.status, down.status].filter((status) => status === 200)).toHaveLength(1);
  });

  it('names divisions, and can be given to matters while it is active', async () => {
    const division = await generalDivision(api);
    const type = await make({ divisionIds: [division], retentionYears: 7 });
    expect(type).toMatchObject({ divisionIds: [division], retentionYears: 7 });
    const unknown = { name: 'x', divisionIds: [division, `division_${'0'.repeat(32)}`] };
    expectProblem(await api.post('mattertypes', unknown), 422, 'division_not_found', '/divisionIds/1');
    const id = await matter(api, { matterTypeId: type.id });
    expect(await api.data('GET', `matters/${id}`)).toMatchObject({
      matterTypeId: type.id,
      matterType: type.name,
    });
    expect((await api.rows('matters', { matterTypeId: type.id })).map((row) => row.id)).toEqual([id]);
    expectProblem(await api.delete(`mattertypes/${type.id}`), 409, 'in_use');
    await api.data('POST', `mattertypes/${type.id}/deactivate`);
    const other = await matter(api);
    const given = await api.patch(`matters/${other}`, { matterTypeId: type.id });
    expectProblem(given, 422, 'mattertype_not_active', '/matterTypeId');
    await api.data('PATCH', `matters/${id}`, { title: 'Renamed', matterTypeId: type.id });
    await api.data('PATCH', `matters/${id}`, { matterTypeId: null });
    expect((await api.delete(`mattertypes/${type.id}`)).status).toBe(204);
  });

  it('takes only active divisions, but keeps those that have become inactive', async () => {
    const [known, other] = [
      await api.create('divisions', { name: mark() }),
      await api.create('divisions', { name: mark() }),
    ];
    const type = await make({ divisionIds: [known] });
    for (const id of [known, other]) await api.data('POST', `divisions/${id}/deactivate`);
    const general = await generalDivision(api);
    await api.data('PATCH', `mattertypes/${type.id}`, { divisionIds: [general, known] });
    const refused = await api.patch(`mattertypes/${type.id}`, { divisionIds: [known, other] });
    expectProblem(refused, 422, 'division_not_active', '/divisionIds/1');
  });
});
