import type { ApiClient, Json } from '../support/client';
import { Office } from './office';
import { mark, person } from './records';
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

const UNKNOWN = `role_${'0'.repeat(32)}`;
const make = (fields: object = {}): Promise<Json> => api.data('POST', 'roles', { name: mark(), ...fields });

describe('roles', () => {
  it('answers 201 with address, version and position, and the same record on GET', async () => {
    const name = mark();
    const answer = await api.post('roles', { name });
    expect(answer.status).toBe(201);
    const { data } = answer.body;
    expect(answer.headers.get('location')).toBe(`/${api.tenant}/api/v1/roles/${data.id}`);
    expect(answer.headers.get('etag')).toBe('"1"');
    expect(data).toEqual({
      id: expect.stringMatching(/^role_[0-9a-f]{32}$/),
      version: 1,
      isDeleted: false,
      createdOn: expect.any(String),
      createdBy: expect.stringMatching(/^integration:/),
      updatedOn: data.createdOn,
      updatedBy: data.createdBy,
      externalReference: null,
      name,
      kind: 'Custom',
    });
    const read = await api.get(`roles/${data.id}`);
    expect([read.headers.get('etag'), read.body]).toEqual(['"1"', { success: true, data }]);
  });

  it('lists in pages, by keywords, kind and time, in both directions of every order', async () => {
    const word = mark();
    const ids: string[] = [];
    for (const name of ['a', 'b', 'c']) ids.push((await make({ name: `${word} ${name}` })).id);
    const found = async (query: object) =>
      (await api.rows('roles', { keywords: word, ...query })).map(({ id }) => id);
    for (const sort of ['name', 'createdOn', 'updatedOn']) {
      expect(await found({ sort })).toEqual(ids);
      expect(await found({ sort: `-${sort}` })).toEqual([...ids].reverse());
    }
    const page = await api.data(
      'GET',
      `roles?keywords=${word}&pageSize=2&pageIndex=1&includeTotalCount=true`,
    );
    expect(page).toMatchObject({ rows: [{ id: ids[2] }], hasMore: false, totalCount: 3 });
    expect(await found({ kind: 'Custom' })).toEqual(ids);
    expect(await found({ kind: 'System' })).toEqual([]);
    expect(await found({ ids: `${ids[0]},${ids[2]}` })).toEqual([ids[0], ids[2]]);
    const token = (await api.get('roles')).headers.get('x-event-position')!;
    await api.data('PATCH', `roles/${ids[1]}`, { name: `${word} z` });
    expect(await found({ changedAfter: token })).toEqual([ids[1]]);
    expect(await found({ updatedSince: '2199-01-01' })).toEqual([]);
    expect(await stranger.rows('roles', { keywords: word })).toEqual([]);
  });

  it.each(['kind=Ghost', 'sort=kind', 'ids=tenant_1', 'colour=red', 'pageSize=201'])(
    'answers 400 to ?%s',
    async (query) => expectProblem(await api.get(`roles?${query}`), 400, 'invalid_query'),
  );

  it('are renamed only at the version that was seen', async () => {
    const { id } = await make();
    const [one, other] = [mark(), mark()];
    const stale = await api.patch(`roles/${id}`, { name: one }, { 'If-Match': '"7"' });
    expectProblem(stale, 412, 'version_mismatch');
    const patched = await api.patch(`roles/${id}`, { name: one }, { 'If-Match': '"1"' });
    expect([patched.body.data, patched.headers.get('etag')]).toEqual([id, '"2"']);
    const same = await api.patch(`roles/${id}`, { name: one });
    expect(same.headers.get('etag')).toBe('"2"');
    const full = await api.data('PATCH', `roles/${id}`, { name: other }, { Prefer: 'return=representation' });
    expect(full).toMatchObject({ id, name: other, version: 3 });
    expectProblem(await api.patch(`roles/${id}`, { name: null }), 422, 'validation_failed', '/name');
    expectProblem(await api.patch(`roles/${id}`, { kind: 'System' }), 422, 'validation_failed', '/kind');
    expectProblem(await api.post('roles', { name: ' ' }), 422, 'validation_failed', '/name');
    expectProblem(await api.post('roles', {}), 422, 'validation_failed', '/name');
  });

  it('have unique names, whatever their case, and an external reference', async () => {
    const name = mark();
    const { id } = await make({ name, externalReference: name });
    expectProblem(await api.post('roles', { name: ` ${name.toUpperCase()}` }), 409, 'role_name_taken');
    const { id: other } = await make();
    expectProblem(await api.patch(`roles/${other}`, { name }), 409, 'role_name_taken');
    await make({ name: `${name} \u00e9` });
    expectProblem(await api.post('roles', { name: `${name} e\u0301` }), 409, 'role_name_taken');
    expectProblem(
      await api.post('roles', { name: mark(), externalReference: name }),
      409,
      'external_reference_taken',
    );
    expect((await colleague.post('roles', { name: mark(), externalReference: name })).status).toBe(201);
    expect((await stranger.post('roles', { name })).status).toBe(201);
    await api.delete(`roles/${id}`);
    expect((await api.post('roles', { name })).status).toBe(201);
  });

  it('gives the first answer to a repeat', async () => {
    const body = { name: mark() };
    const key = { 'Idempotency-Key': mark() };
    const [once, again] = [await api.post('roles', body, key), await api.post('roles', body, key)];
    expect([again.status, again.body]).toEqual([201, once.body]);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expectProblem(await api.post('roles', { name: mark() }, key), 422, 'idempotency_key_reused');
  });

  it('are deleted softly, and have a history', async () => {
    const { id, name } = await make();
    await api.data('PATCH', `roles/${id}`, { name: `${name} again` });
    expectProblem(await api.delete(`roles/${id}`, { 'If-Match': '"1"' }), 412, 'version_mismatch');
    expect((await api.delete(`roles/${id}`)).status).toBe(204);
    expect(await api.data('GET', `roles/${id}`)).toMatchObject({ isDeleted: true, version: 3 });
    expect(await api.rows('roles', { keywords: name })).toEqual([]);
    expect(await api.rows('roles', { keywords: name, includeDeleted: true })).toMatchObject([{ id }]);
    const { rows } = await api.data('GET', `roles/${id}/history`);
    expect(rows.map(({ type }: Json) => type)).toEqual(['RoleCreated', 'RoleUpdated', 'RoleDeleted']);
    expectProblem(await api.delete(`roles/${id}`), 404, 'not_found');
    expectProblem(await api.patch(`roles/${id}`, { name: mark() }), 404, 'not_found');
  });

  it('are visible only in their tenant', async () => {
    const { id } = await make();
    for (const answer of [
      await stranger.get(`roles/${id}`),
      await stranger.get(`roles/${id}/history`),
      await stranger.patch(`roles/${id}`, { name: mark() }),
      await stranger.delete(`roles/${id}`),
      await api.get(`roles/${UNKNOWN}`),
      await api.get('roles/entity_1'),
    ])
      expectProblem(answer, 404, 'not_found');
  });

  it('need their permissions', async () => {
    const reader = await office.caller(api.tenant, await office.integration(api.tenant), {
      scope: 'roles:read',
    });
    expect((await reader.get('roles')).status).toBe(200);
    expectProblem(await reader.post('roles', { name: mark() }), 403, 'permission_denied');
    const id = await person(api);
    expectProblem(await reader.get(`entities/${id}/roles`), 403, 'permission_denied');
    expectProblem(await reader.send('PUT', `entities/${id}/roles/${UNKNOWN}`), 403, 'permission_denied');
  });
});

describe('system roles', () => {
  it('exist from the start, separately for each tenant, and cannot be changed', async () => {
    const rows = await api.rows('roles', { kind: 'System' });
    expect(rows.map(({ name }) => name)).toEqual(['Client', 'Employee', 'Supplier']);
    const theirs = await stranger.rows('roles', { kind: 'System' });
    expect(theirs.map(({ id }) => id)).not.toContain(rows[0].id);
    for (const { id, version } of rows) {
      expectProblem(await api.patch(`roles/${id}`, { name: mark() }), 409, 'system_role');
      expectProblem(await api.delete(`roles/${id}`), 409, 'system_role');
      expect((await api.patch(`roles/${id}`, { externalReference: null })).status).toBe(200);
      expect(await api.data('GET', `roles/${id}`)).toMatchObject({ kind: 'System', version });
    }
    expectProblem(await api.post('roles', { name: 'client' }), 409, 'role_name_taken');
  });
});
