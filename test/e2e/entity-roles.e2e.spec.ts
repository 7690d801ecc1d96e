import type { ApiClient } from '../support/client';
import { Office } from './office';
import { mark, person } from './records';
import { expectProblem } from './refusals';

let office: Office;
let api: ApiClient;
let stranger: ApiClient;

beforeAll(async () => {
  office = await Office.join();
  [api, stranger] = [await office.tenant(), await office.tenant()];
});
afterAll(() => office.close());

const UNKNOWN = `role_${'0'.repeat(32)}`;
const make = () => api.data('POST', 'roles', { name: mark() });
const systemRole = async (name: string): Promise<string> =>
  (await api.rows('roles', { kind: 'System', keywords: name }))[0].id;

describe('the roles of an entity', () => {
  it('of the system follow from being a client, an employee or a supplier', async () => {
    const id = await person(api);
    const names = async () => (await api.rows(`entities/${id}/roles`)).map(({ name }) => name);
    expect(await names()).toEqual([]);
    const clientId = await api.create('clients', { entityId: id });
    const supplierId = await api.create('suppliers', { entityId: id });
    const employeeId = await api.create('employees', { entityId: id });
    expect(await names()).toEqual(['Client', 'Employee', 'Supplier']);
    for (const name of await names()) {
      const roleId = await systemRole(name);
      expect((await api.rows('entities', { roleId, ids: id })).map((row) => row.id)).toEqual([id]);
      expectProblem(await api.send('PUT', `entities/${id}/roles/${roleId}`), 409, 'system_role');
      expectProblem(await api.delete(`entities/${id}/roles/${roleId}`), 409, 'system_role');
    }
    await api.delete(`employees/${employeeId}`);
    await api.delete(`clients/${clientId}`);
    expect(await names()).toEqual(['Supplier']);
    expect(await api.rows('entities', { roleId: await systemRole('Client'), ids: id })).toEqual([]);
    await api.delete(`suppliers/${supplierId}`);
    expect(await names()).toEqual([]);
  });

  it('can be assigned and removed repeatedly', async () => {
    const id = await person(api);
    const role = await make();
    const address = `entities/${id}/roles/${role.id}`;
    for (let time = 0; time < 2; time++) {
      const given = await api.send('PUT', address);
      expect([given.status, given.headers.get('etag')]).toEqual([200, '"2"']);
      expect(given.body.data).toMatchObject({ id, version: 2, roleIds: [role.id] });
    }
    expect(await api.data('GET', `entities/${id}/roles?includeTotalCount=true`)).toEqual({
      rows: [role],
      pageIndex: 0,
      pageSize: 50,
      hasMore: false,
      totalCount: 1,
    });
    expect(await api.data('GET', `entities/${id}`)).toMatchObject({ roleIds: [role.id] });
    expectProblem(await api.delete(`roles/${role.id}`), 409, 'in_use');
    for (let time = 0; time < 2; time++) {
      expect(await api.delete(address)).toMatchObject({ status: 204, body: undefined });
    }
    expect(await api.data('GET', `entities/${id}`)).toMatchObject({ version: 3, roleIds: [] });
    const { rows } = await api.data('GET', `entities/${id}/history`);
    expect(rows.slice(1)).toMatchObject([
      { type: 'RoleAssigned', changes: { roleId: role.id } },
      { type: 'RoleRemoved', changes: { roleId: role.id } },
    ]);
    expect((await api.delete(`roles/${role.id}`)).status).toBe(204);
  });

  it('find the entities that have them, in pages and with other filters', async () => {
    const word = mark();
    const [one, two, other] = [
      await person(api, `${word} A`),
      await person(api, `${word} B`),
      await person(api, word),
    ];
    const { id: roleId } = await make();
    for (const id of [one, two]) await api.data('PUT', `entities/${id}/roles/${roleId}`);
    const found = async (query: object) => (await api.rows('entities', { ...query })).map(({ id }) => id);
    expect(await found({ roleId })).toEqual([one, two]);
    expect(await found({ roleId, pageSize: 1, pageIndex: 1 })).toEqual([two]);
    expect(await found({ roleId, keywords: `${word} b` })).toEqual([two]);
    expect(await found({ roleId, entityType: 'Organisation' })).toEqual([]);
    expect(await found({ roleId: await systemRole('Client'), keywords: word })).toEqual([]);
    await api.create('clients', { entityId: other });
    expect(await found({ roleId: await systemRole('Client'), keywords: word })).toEqual([other]);
    expect(await found({ roleId: UNKNOWN })).toEqual([]);
    expect(await stranger.rows('entities', { roleId })).toEqual([]);
    expectProblem(await api.get('entities?roleId=7'), 400, 'invalid_query');
    const page = await api.data('GET', `entities?roleId=${roleId}&pageSize=1&includeTotalCount=true`);
    expect(page).toMatchObject({ hasMore: true, totalCount: 2 });
  });

  it('are refused when either record is unknown, deleted, changed meanwhile or of another tenant', async () => {
    const id = await person(api);
    const role = (await make()).id;
    const put = (as: ApiClient, path: string, headers?: Record<string, string>) =>
      as.send('PUT', path, undefined, headers);
    const theirs = await stranger.create('roles', { name: mark() });
    for (const path of [
      `entities/${id}/roles/${UNKNOWN}`,
      `entities/${id}/roles/${theirs}`,
      `entities/${id}/roles/${id}`,
      `entities/entity_${'0'.repeat(32)}/roles/${role}`,
    ]) {
      expectProblem(await put(api, path), 404, 'not_found');
      expectProblem(await api.delete(path), 404, 'not_found');
    }
    expectProblem(await put(stranger, `entities/${id}/roles/${role}`), 404, 'not_found');
    expectProblem(await stranger.get(`entities/${id}/roles`), 404, 'not_found');
    expectProblem(await api.get(`entities/${id}/roles?keywords=x`), 400, 'invalid_query');
    const stale = { 'If-Match': '"9"' };
    expectProblem(await put(api, `entities/${id}/roles/${role}`, stale), 412, 'version_mismatch');
    expectProblem(await api.delete(`entities/${id}/roles/${role}`, stale), 412, 'version_mismatch');
    await api.data('PUT', `entities/${id}/roles/${role}`);
    await api.delete(`entities/${id}`);
    expectProblem(await put(api, `entities/${id}/roles/${role}`), 404, 'not_found');
    expect((await api.delete(`roles/${role}`)).status).toBe(204);
  });
});
