import type { ApiClient, Json } from '../support/client';
import { formOf } from '../support/form';
import { behavesAsList } from './list-behaviour';
import { Office } from './office';
import { mark, matter, person } from './records';
import { expectProblem } from './refusals';

let office: Office;
let api: ApiClient;
let stranger: ApiClient;
let colleague: ApiClient;
let subjectId: string;

beforeAll(async () => {
  office = await Office.join();
  [api, stranger] = [await office.tenant(), await office.tenant()];
  colleague = await office.caller(api.tenant, await office.integration(api.tenant));
  subjectId = await matter(api);
});
afterAll(() => office.close());

const UNKNOWN = `documentcollection_${'0'.repeat(32)}`;
const make = (fields: object = {}): Promise<Json> =>
  api.data('POST', 'documentcollections', { name: `Letters ${mark()}`, subjectId, ...fields });
const within = async (parentId: string) => (await make({ parentId })).id as string;
const change = (id: string, body: object, headers = {}) =>
  api.patch(`documentcollections/${id}`, body, headers);

describe('documentcollections', () => {
  behavesAsList(
    {
      path: 'documentcollections',
      kind: 'documentcollection',
      optional: { field: 'name', first: 'Letters', second: 'Drafts' },
      required: 'name',
      sorts: ['name', 'createdOn', 'updatedOn'],
      actions: [],
      badFilters: ['subjectId=1', `subjectId=role_${'0'.repeat(32)}`, 'parentId=1'],
    },
    () => ({ api, stranger, colleague, body: async (name) => ({ name: `${name} ${mark()}`, subjectId }) }),
  );

  it('is created, read, changed and deleted', async () => {
    const key = { 'Idempotency-Key': mark() };
    const body = { name: 'Letters', subjectId, externalReference: mark() };
    const answer = await api.post('documentcollections', body, key);
    const { data } = answer.body;
    const address = `/${api.tenant}/api/v1/documentcollections/${data.id}`;
    expect([answer.status, answer.headers.get('location'), answer.headers.get('etag')]).toEqual([
      201,
      address,
      '"1"',
    ]);
    expect(data).toMatchObject({ ...body, parentId: null, isRoot: false, version: 1, isDeleted: false });
    expect((await api.post('documentcollections', body, key)).body).toEqual(answer.body);
    expectProblem(await api.post('documentcollections', body), 409, 'external_reference_taken');
    expect((await colleague.post('documentcollections', body)).status).toBe(201);
    expect(await api.data('GET', address)).toEqual({ ...data, parentName: null });

    expectProblem(await change(data.id, { name: 'Drafts' }, { 'If-Match': '"7"' }), 412, 'version_mismatch');
    const patched = await change(data.id, { name: 'Drafts' }, { 'If-Match': '"1"' });
    expect([patched.body.data, patched.headers.get('etag')]).toEqual([data.id, '"2"']);
    expect((await change(data.id, { name: 'Drafts', parentId: null })).headers.get('etag')).toBe('"2"');
    const prefer = { Prefer: 'return=representation' };
    expect((await change(data.id, { name: 'Plans' }, prefer)).body.data).toMatchObject({
      name: 'Plans',
      version: 3,
    });

    expect((await api.delete(address)).status).toBe(204);
    expect(await api.data('GET', address)).toMatchObject({ isDeleted: true, version: 4 });
    expectProblem(await change(data.id, { name: 'x' }), 404, 'not_found');
    expectProblem(await api.delete(address), 404, 'not_found');
    const { rows } = await api.data('GET', `${address}/history`);
    expect(rows.map(({ type }: Json) => type)).toEqual(
      ['Created', 'Updated', 'Updated', 'Deleted'].map((verb) => `DocumentCollection${verb}`),
    );
  });

  it('belongs to a client, a matter or an entity', async () => {
    const entityId = await person(api);
    for (const id of [entityId, await api.create('clients', { entityId })]) {
      expect(await make({ subjectId: id })).toMatchObject({ subjectId: id });
      expect(await api.rows('documentcollections', { subjectId: id })).toHaveLength(1);
      expectProblem(
        await api.delete(`${id.startsWith('client') ? 'clients' : 'entities'}/${id}`),
        409,
        'in_use',
      );
    }
  });

  it('can never change its subject', async () => {
    const { id } = await make();
    expectProblem(await change(id, { subjectId: await matter(api) }), 422, 'subject_fixed', '/subjectId');
    expect((await change(id, { subjectId })).headers.get('etag')).toBe('"1"');
  });

  it('can be in another collection, which is kept while anything is in it', async () => {
    const parent = await make({ name: 'Outer' });
    const { id } = await make({ parentId: parent.id });
    expect(await api.data('GET', `documentcollections/${id}`)).toMatchObject({ parentName: 'Outer' });
    expect(await api.rows('documentcollections', { parentId: parent.id })).toMatchObject([{ id }]);
    expectProblem(await api.delete(`documentcollections/${parent.id}`), 409, 'in_use');
    const document = await api.data(
      'POST',
      'documents',
      formOf({ fileName: 'a', documentCollectionId: id, file: '' }),
    );
    expectProblem(await api.delete(`documentcollections/${id}`), 409, 'in_use');
    await api.delete(`documents/${document.id}`);
    for (const each of [id, parent.id])
      expect((await api.delete(`documentcollections/${each}`)).status).toBe(204);
  });

  it('is never inside itself, at any depth', async () => {
    const { id } = await make();
    const middle = await within(id);
    const inner = await within(middle);
    for (const parentId of [id, middle, inner])
      expectProblem(await change(id, { parentId }), 422, 'collection_in_itself', '/parentId');
    expect((await change(inner, { parentId: id })).status).toBe(200);
    expect((await change(middle, { parentId: inner })).status).toBe(200);
    expect((await change(middle, { parentId: null })).status).toBe(200);
  });

  it('is at most nineteen levels deep', async () => {
    const top = (await make()).id;
    let lowest = top;
    for (let level = 2; level <= 20; level++) lowest = await within(lowest);
    const refused = await api.post('documentcollections', { name: 'x', subjectId, parentId: lowest });
    expectProblem(refused, 422, 'collections_too_deep', '/parentId');
    const other = (await make()).id;
    expectProblem(await change(top, { parentId: other }), 422, 'collections_too_deep', '/parentId');
    expectProblem(await change(other, { parentId: lowest }), 422, 'collections_too_deep', '/parentId');
  });

  it('can be the root collection of its subject, which has the documents with only a subject, and stays at the top', async () => {
    const id = await matter(api);
    const form = () => formOf({ fileName: 'a', subjectId: id, file: '' });
    const { documentCollectionId: root, id: document } = await api.data('POST', 'documents', form());
    const other = await make({ subjectId: id });
    expect(await api.data('GET', `documentcollections/${root}`)).toMatchObject({
      isRoot: true,
      name: 'Documents',
    });
    expectProblem(await change(root, { parentId: other.id }), 409, 'root_collection');
    expect((await change(root, { name: 'Papers' })).status).toBe(200);
    await api.delete(`documents/${document}`);
    expect((await api.delete(`documentcollections/${root}`)).status).toBe(204);
    const again = await api.data('POST', 'documents', form());
    expect(again.documentCollectionId).not.toBe(root);
  });

  it.each([
    ['name', () => null, 'validation_failed'],
    ['name', () => ' ', 'validation_failed'],
    ['subjectId', () => undefined, 'validation_failed'],
    ['subjectId', () => `division_${'0'.repeat(32)}`, 'validation_failed'],
    ['subjectId', () => `matter_${'0'.repeat(32)}`, 'matter_not_found'],
    ['subjectId', () => person(stranger), 'entity_not_found'],
    ['parentId', () => subjectId, 'validation_failed'],
    ['parentId', () => UNKNOWN, 'documentcollection_not_found'],
    ['parentId', async () => (await make({ subjectId: await matter(api) })).id, 'subject_mismatch'],
    ['isRoot', () => true, 'validation_failed'],
  ])('refuses a wrong %s (%#)', async (field, value, code) => {
    const body = { name: 'x', subjectId, [field]: await value() };
    expectProblem(await api.post('documentcollections', body), 422, code, `/${field}`);
  });

  it('is not found by other tenants, nor by ids of another kind', async () => {
    const { id } = await make();
    for (const [as, wrong] of [
      [stranger, id],
      [api, UNKNOWN],
      [api, id.replace('documentcollection', 'document')],
    ]) {
      const address = `documentcollections/${wrong}`;
      const answers = [
        as.get(address),
        as.get(`${address}/history`),
        as.patch(address, {}),
        as.delete(address),
      ];
      for (const answer of await Promise.all(answers)) expectProblem(answer, 404, 'not_found');
    }
    const reader = await office.caller(api.tenant, await office.integration(api.tenant), {
      scope: 'documents:read',
    });
    expectProblem(await reader.get('documentcollections'), 403, 'permission_denied');
  });
});
