import type { ApiClient, Json } from '../support/client';
import { type Area, type AreaShape, behavesAsList } from './list-behaviour';
import { mark } from './records';
import { expectProblem } from './refusals';

const UNKNOWN = '0'.repeat(32);

/** The behaviour that wire.md promises of every area. */
export function behavesAsRecords(shape: AreaShape, given: () => Area): void {
  const { path, kind, optional, required } = shape;
  const { field } = optional;

  async function make(keyword = mark(), fields: object = {}): Promise<Json> {
    const area = given();
    return area.api.data('POST', path, { ...(await area.body(keyword)), ...fields });
  }

  it('answers 201 with address, version and position, and the same record on GET', async () => {
    const { api, body } = given();
    const answer = await api.post(path, { ...(await body(mark())), [field]: optional.first });
    expect(answer.status).toBe(201);
    const { data, success } = answer.body;
    expect(success).toBe(true);
    expect(data.id).toMatch(new RegExp(`^${kind}_[0-9a-f]{32}$`));
    expect(answer.headers.get('location')).toBe(`/${api.tenant}/api/v1/${path}/${data.id}`);
    expect(answer.headers.get('etag')).toBe(`"${data.version}"`);
    expect(answer.headers.get('x-event-position')).toMatch(/^[\w-]+$/);
    expect(data).toMatchObject({ isDeleted: false, externalReference: null, [field]: optional.first });
    expect(data).toMatchObject({ createdBy: data.updatedBy, createdOn: data.updatedOn });
    const read = await api.get(answer.headers.get('location')!);
    expect(read.status).toBe(200);
    expect(read.headers.get('etag')).toBe(`"${data.version}"`);
    expect(read.body).toEqual({ success: true, data: expect.objectContaining(data) });
    for (const value of Object.values(read.body.data)) expect(value).not.toBeUndefined();
  });

  behavesAsList(shape, given);

  it('changes what a PATCH names, and clears what is null', async () => {
    const { api } = given();
    const record = await make(undefined, { [field]: optional.first });
    const address = `${path}/${record.id}`;
    const patched = await api.patch(address, { [field]: optional.second });
    expect(patched.body).toEqual({ success: true, data: record.id });
    expect(patched.headers.get('etag')).toBe(`"${record.version + 1}"`);
    const derived = Object.fromEntries((shape.derived ?? []).map((name) => [name, expect.anything()]));
    expect(await api.data('GET', address)).toMatchObject({
      ...record,
      ...derived,
      version: record.version + 1,
      [field]: optional.second,
      updatedOn: expect.any(String),
    });
    const unchanged = async (body: unknown, more: number) => {
      const { status, headers } = await api.patch(address, body);
      expect({ status, etag: headers.get('etag') }).toEqual({
        status: 200,
        etag: `"${record.version + more}"`,
      });
    };
    await unchanged({ [field]: optional.second }, 1);
    const representation = {
      Prefer: 'return=representation',
      'Content-Type': 'application/merge-patch+json',
    };
    const full = await api.patch(address, { [field]: null }, representation);
    expect(full.body.data).toMatchObject({
      id: record.id,
      version: record.version + 2,
      [field]: optional.cleared ?? null,
    });
    expect(full.headers.get('preference-applied')).toBe('return=representation');
    for (const nothing of [{}, { [field]: null }, undefined]) await unchanged(nothing, 2);
    expectProblem(
      await api.patch(address, { [required]: null }),
      422,
      expect.any(String) as never,
      `/${required}`,
    );
    expectProblem(await api.patch(address, { colour: 1 }), 422, 'validation_failed', '/colour');
    expectProblem(await api.patch(address, []), 422, 'not_an_object');
    expectProblem(await api.post(path, { colour: 1 }), 422, 'validation_failed', '/colour');
    expect((await api.data('GET', address)).version).toBe(record.version + 2);
  });

  for (const name of shape.money ?? [])
    it(`keeps the members of ${name} that a PATCH does not name`, async () => {
      const { api } = given();
      const { id, version } = await make(undefined, { [name]: { Amount: 200, Currency: 'GBP' } });
      const address = `${path}/${id}`;
      await api.data('PATCH', address, { [name]: { Amount: 120 } });
      for (const nothing of [{ Amount: 120 }, { Currency: 'GBP' }, {}])
        await api.data('PATCH', address, { [name]: nothing });
      const changed = await api.data('GET', address);
      expect(changed).toMatchObject({ version: version + 1, [name]: { Amount: 120, Currency: 'GBP' } });
      for (const member of ['Amount', 'Currency']) {
        const answer = await api.patch(address, { [name]: { [member]: null } });
        expectProblem(answer, 422, 'validation_failed', `/${name}/${member}`);
      }
      expectProblem(await api.patch(address, { [name]: { Currency: 'AUD' } }), 422, 'currency_not_supported');
    });

  it('accepts what it shows without a change', async () => {
    const { api } = given();
    const address = `${path}/${(await make()).id}`;
    const shown = await api.data('GET', address);
    // Read-only fields are refused by name. Members of writable fields must not be refused.
    const { body } = await api.patch(address, { ...shown, colour: 1 });
    const pointers = body.errors.map(({ pointer }: Json) => pointer.slice(1));
    const known = Object.entries(shown).filter(([name]) => !pointers.includes(name));
    expect(known.length).toBeGreaterThan(1);
    await api.data('PATCH', address, Object.fromEntries(known));
    expect((await api.data('GET', address)).version).toBe(shown.version);
  });

  it('lets nobody overwrite a version that they have not seen', async () => {
    const { api } = given();
    const { id, version } = await make();
    const wrong = { 'If-Match': `"${version + 7}"` };
    const refused = await api.patch(`${path}/${id}`, { [field]: optional.second }, wrong);
    expectProblem(refused, 412, 'version_mismatch');
    expect(refused.headers.get('etag')).toBe(`"${version}"`);
    expectProblem(await api.delete(`${path}/${id}`, wrong), 412, 'version_mismatch');
    for (const action of shape.actions.slice(0, 1)) {
      expectProblem(await api.post(`${path}/${id}/${action}`, undefined, wrong), 412, 'version_mismatch');
    }
    const garbage = await api.patch(`${path}/${id}`, { [field]: optional.second }, { 'If-Match': 'seven' });
    expectProblem(garbage, 400, 'if_match_invalid');
    for (const other of ['"abc"', `"${version + 7}", "9999999999"`]) {
      const stale = await api.patch(`${path}/${id}`, { [field]: optional.second }, { 'If-Match': other });
      expectProblem(stale, 412, 'version_mismatch');
    }
    const right = await api.patch(
      `${path}/${id}`,
      { [field]: optional.second },
      { 'If-Match': `"${version + 7}", W/"${version}"` },
    );
    expect(right.status).toBe(200);
    const any = await api.patch(`${path}/${id}`, { [field]: optional.first }, { 'If-Match': '*' });
    expect(any.headers.get('etag')).toBe(`"${version + 2}"`);
  });

  it('gives the first answer to a repeat, also after later changes', async () => {
    const { api, body } = given();
    const key = { 'Idempotency-Key': mark() };
    const keywords = mark();
    const text = { ...(await body(keywords)), [field]: optional.first };
    const once = await api.post(path, text, key);
    expect(once.headers.get('idempotent-replayed')).toBeNull();
    await api.data('PATCH', `${path}/${once.body.data.id}`, { [field]: optional.second });
    const again = await api.post(path, text, key);
    expect({ status: again.status, body: again.body }).toEqual({ status: 201, body: once.body });
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(again.headers.get('location')).toBe(once.headers.get('location'));
    expect(again.headers.get('etag')).toBe(once.headers.get('etag'));
    expectProblem(
      await api.post(path, { ...text, [field]: optional.second }, key),
      422,
      'idempotency_key_reused',
    );
    expect(await api.rows(path, { keywords })).toHaveLength(1);
    expectProblem(
      await api.post(path, { colour: 1 }, { 'Idempotency-Key': ' é' }),
      400,
      'idempotency_key_invalid',
    );
  });

  it('deletes softly: still read, never written, no longer listed', async () => {
    const { api } = given();
    const keywords = mark();
    const { id, version } = await make(keywords);
    expect(await api.delete(`${path}/${id}`)).toMatchObject({ status: 204, body: undefined });
    expect(await api.data('GET', `${path}/${id}`)).toMatchObject({ isDeleted: true, version: version + 1 });
    expectProblem(await api.patch(`${path}/${id}`, { [field]: optional.second }), 404, 'not_found');
    expectProblem(await api.delete(`${path}/${id}`), 404, 'not_found');
    for (const action of shape.actions)
      expectProblem(await api.post(`${path}/${id}/${action}`), 404, 'not_found');
    expect(await api.rows(path, { keywords })).toEqual([]);
    expect(await api.rows(path, { keywords, includeDeleted: true })).toMatchObject([{ id, isDeleted: true }]);
  });

  it('tells who changed what and when', async () => {
    const { api } = given();
    const { id, version, createdBy, createdOn } = await make(undefined, { [field]: optional.first });
    await api.data('PATCH', `${path}/${id}`, { [field]: optional.second });
    await api.delete(`${path}/${id}`);
    const { rows, hasMore } = await api.data('GET', `${path}/${id}/history`);
    expect(hasMore).toBe(false);
    expect(rows.map((event: Json) => event.version)).toEqual(rows.map((_: Json, index: number) => index + 1));
    expect(rows[0]).toMatchObject({ by: createdBy, on: createdOn, type: expect.stringMatching(/Created$/) });
    expect(rows[version]).toMatchObject({ type: expect.stringMatching(/Updated$/) });
    expect(rows[version].changes).toHaveProperty(field);
    expect(rows.at(-1)).toMatchObject({ type: expect.stringMatching(/Deleted$/), source: 'rest' });
    const page = await api.data('GET', `${path}/${id}/history?pageSize=1&pageIndex=${version}`);
    expect(page).toMatchObject({ rows: [rows[version]], hasMore: true });
    expectProblem(await api.get(`${path}/${id}/history?pageSize=0`), 400, 'invalid_query');
  });

  it('finds no record of another kind, with an unknown id, or of another tenant', async () => {
    const { api, stranger } = given();
    const { id, version } = await make();
    const requests = (as: ApiClient, wrong: string) => [
      as.get(`${path}/${wrong}`),
      as.get(`${path}/${wrong}/history`),
      as.patch(`${path}/${wrong}`, { [field]: optional.second }),
      as.delete(`${path}/${wrong}`),
      ...shape.actions.map((action) => as.post(`${path}/${wrong}/${action}`)),
    ];
    const wrong = [
      ...['x', `${kind}_${UNKNOWN}`, `role_${UNKNOWN}`, id.toUpperCase()].flatMap((text) =>
        requests(api, text),
      ),
      ...requests(stranger, id),
    ];
    for (const answer of await Promise.all(wrong)) expectProblem(answer, 404, 'not_found');
    expect((await api.data('GET', `${path}/${id}`)).version).toBe(version);
  });

  it("keeps an integration's own reference unique to it", async () => {
    const { api, colleague } = given();
    const externalReference = mark();
    const record = await make(undefined, { externalReference });
    expect(record.externalReference).toBe(externalReference);
    expectProblem(
      await api.post(path, { ...(await given().body(mark())), externalReference }),
      409,
      'external_reference_taken',
    );
    expectProblem(
      await api.patch(`${path}/${record.id}`, { externalReference: '' }),
      422,
      'validation_failed',
      '/externalReference',
    );
    const theirs = await colleague.post(path, { ...(await given().body(mark())), externalReference });
    expect(theirs.status).toBe(201);
    expect((await api.delete(`${path}/${record.id}`)).status).toBe(204);
    expect((await make(undefined, { externalReference })).id).not.toBe(record.id);
  });
}
