import type { ApiClient } from '../support/client';
import { Office } from './office';
import { behavesAsRecords } from './record-behaviour';
import { mark } from './records';
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

let made = 0;
/** A code that no other type of the tests has. */
const code = () => `T${process.pid}x${++made}`;

describe('tasktypes', () => {
  behavesAsRecords(
    {
      path: 'tasktypes',
      kind: 'tasktype',
      money: ['rate'],
      optional: {
        field: 'rate',
        first: { Amount: 200, Currency: 'GBP' },
        second: { Amount: 0.1234567891, Currency: 'GBP' },
      },
      required: 'code',
      sorts: ['code', 'name', 'createdOn', 'updatedOn'],
      actions: ['activate', 'deactivate'],
      badFilters: ['state=3', 'itemType=2', 'itemType=x', `phaseCode=${'x'.repeat(21)}`],
    },
    () => ({ api, stranger, colleague, body: async (name) => ({ code: code(), name }) }),
  );

  const make = (fields: object = {}) =>
    api.data('POST', 'tasktypes', { code: code(), name: mark(), ...fields });

  it('is active, billable and for every kind of work unless told otherwise', async () => {
    const least = await make();
    expect(least).toMatchObject({
      state: 1,
      stateName: 'Active',
      isBillable: true,
      itemType: null,
      rate: null,
      phaseCode: null,
      taskCode: null,
      activityCode: null,
      narration: null,
    });
    const fields = {
      itemType: 1,
      phaseCode: 'L100',
      taskCode: 'L120',
      activityCode: 'A103',
      isBillable: false,
      narration: 'Considering the next steps',
      rate: { Amount: 80, Currency: 'GBP' },
    };
    const full = await make(fields);
    expect(full).toMatchObject(fields);
    expect(await api.data('GET', `tasktypes/${full.id}`)).toEqual(full);
    const nothing = { isBillable: null, narration: null, itemType: null, rate: null };
    await api.data('PATCH', `tasktypes/${full.id}`, nothing);
    expect(await api.data('GET', `tasktypes/${full.id}`)).toMatchObject({ ...nothing, isBillable: true });
  });

  it('has a code that is unique in its firm until it is deleted', async () => {
    const [one, other] = [await make(), await make()];
    const again = { code: one.code, name: 'Again' };
    expectProblem(await api.post('tasktypes', again), 409, 'task_type_code_taken');
    const renamed = await api.patch(`tasktypes/${other.id}`, { code: one.code });
    expectProblem(renamed, 409, 'task_type_code_taken');
    expect((await stranger.post('tasktypes', again)).status).toBe(201);
    await api.data('PATCH', `tasktypes/${one.id}`, { code: code() });
    expect((await api.patch(`tasktypes/${other.id}`, { code: one.code })).status).toBe(200);
    expect((await api.delete(`tasktypes/${other.id}`)).status).toBe(204);
    expect((await api.post('tasktypes', again)).status).toBe(201);
  });

  it('gets a code only once, however many request it at once', async () => {
    const body = { code: code(), name: 'Twice' };
    const answers = await Promise.all([api.post('tasktypes', body), colleague.post('tasktypes', body)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409]);
  });

  it('is found by its code and name, its state, its kind of work and its phase', async () => {
    const keywords = mark();
    const timed = await make({ name: `${keywords} timed`, itemType: 0, phaseCode: 'L300' });
    const item = await make({ name: `${keywords} item`, itemType: 1, phaseCode: 'P200' });
    await api.data('POST', `tasktypes/${item.id}/deactivate`);
    const found = async (query: Record<string, unknown>) =>
      (await api.rows('tasktypes', { keywords, ...query } as never)).map(({ id }) => id);
    expect(await found({})).toEqual([timed.id, item.id]);
    expect(await found({ itemType: 0 })).toEqual([timed.id]);
    expect(await found({ phaseCode: 'P200' })).toEqual([item.id]);
    expect(await found({ phaseCode: 'P100' })).toEqual([]);
    expect(await found({ state: 1 })).toEqual([timed.id]);
    expect(await found({ state: 2 })).toEqual([item.id]);
    expect(await found({ keywords: timed.code })).toEqual([timed.id]);
  });

  it('is deactivated and activated, with one event each', async () => {
    const { id, version } = await make();
    for (const _ of [1, 2]) {
      const off = await api.data('POST', `tasktypes/${id}/deactivate`);
      expect(off).toMatchObject({ state: 2, stateName: 'Inactive', version: version + 1 });
    }
    for (const _ of [1, 2]) {
      const on = await api.data('POST', `tasktypes/${id}/activate`);
      expect(on).toMatchObject({ state: 1, stateName: 'Active', version: version + 2 });
    }
  });

  it.each([
    [{ code: ' ' }, 'code'],
    [{ code: 'x'.repeat(21) }, 'code'],
    [{ name: null }, 'name'],
    [{ itemType: 2 }, 'itemType'],
    [{ phaseCode: 100 }, 'phaseCode'],
    [{ isBillable: 'yes' }, 'isBillable'],
    [{ rate: 80 }, 'rate'],
    [{ rate: { Amount: -1, Currency: 'GBP' } }, 'rate/Amount'],
  ])('refuses %j', async (fields, field) => {
    const answer = await api.post('tasktypes', { code: code(), name: 'Refused', ...fields });
    expectProblem(answer, 422, 'validation_failed', `/${field}`);
  });

  it('has a rate in the base currency', async () => {
    const euros = { rate: { Amount: 80, Currency: 'EUR' } };
    const created = await api.post('tasktypes', { code: code(), name: 'Euros', ...euros });
    expectProblem(created, 422, 'currency_not_supported', '/rate/Currency');
    const patched = await api.patch(`tasktypes/${(await make()).id}`, euros);
    expectProblem(patched, 422, 'currency_not_supported', '/rate/Currency');
  });
});
