import type { ApiClient } from '../support/client';
import { Office } from './office';
import { mark, matter, person } from './records';
import { expectProblem } from './refusals';

let office: Office;
let api: ApiClient;
let matterId: string;
let disbursementCodeId: string;
let supplierId: string;

beforeAll(async () => {
  office = await Office.join();
  api = await office.tenant();
  const taxCodeId = await api.create('taxcodes', { code: 'EX', name: 'Exempt', category: 'Exempt' });
  disbursementCodeId = await api.create('disbursementcodes', { code: 'ANY', name: 'Any', taxCodeId });
  supplierId = await api.create('suppliers', { entityId: await person(api) });
  matterId = await matter(api);
});
afterAll(() => office.close());

const gbp = (Amount: number) => ({ Amount, Currency: 'GBP' });

/** A finalised cost of ten copies of the register at 25 each. */
const record = (fields: object = {}) =>
  api.data('POST', 'costrecoveries', {
    matterId,
    disbursementCodeId,
    supplierId,
    kind: 'Incurred',
    quantity: 10,
    unitAmount: gbp(25),
    entryDate: '2025-06-12T10:00:00Z',
    ...fields,
  });
const act = (id: string, action: string, body?: object) =>
  api.data('POST', `costrecoveries/${id}/${action}`, body);
const refuse = async (id: string, action: string, body: object | undefined, status: number, code: string) =>
  expectProblem(await api.post(`costrecoveries/${id}/${action}`, body), status, code);
const refuseChange = async (id: string, body: object, code: string) =>
  expectProblem(await api.patch(`costrecoveries/${id}`, body), 409, code);

describe('the life of a cost', () => {
  it('is finalised at once, goes back to pending, is changed and finalised again', async () => {
    const { id, ...made } = await record();
    expect(made).toMatchObject({ state: 1, stateName: 'Finalised', version: 2 });
    await refuseChange(id, { quantity: 3 }, 'finalised');
    await refuseChange(id, { description: 'New', kind: 'Anticipated' }, 'finalised');
    expectProblem(await api.delete(`costrecoveries/${id}`), 409, 'finalised');
    expect((await api.patch(`costrecoveries/${id}`, { description: 'New' })).status).toBe(200);
    expect(await act(id, 'finalise')).toMatchObject({ state: 1, version: 3, description: 'New' });
    expect(await act(id, 'unfinalise')).toMatchObject({ state: 0, stateName: 'Pending', version: 4 });
    expect(await act(id, 'unfinalise')).toMatchObject({ state: 0, version: 4 });
    await refuse(id, 'writeoff', { reason: 'x' }, 409, 'not_finalised');
    await refuse(id, 'reinstate', undefined, 409, 'not_written_off');
    await api.data('PATCH', `costrecoveries/${id}`, { quantity: 3 });
    const again = { state: 1, total: gbp(75), remaining: gbp(75), remainingQuantity: 3 };
    expect(await act(id, 'finalise')).toMatchObject(again);
    await act(id, 'unfinalise');
    expect((await api.delete(`costrecoveries/${id}`)).status).toBe(204);
    await refuse(id, 'finalise', undefined, 404, 'not_found');
  });

  it('is written off whole and comes back', async () => {
    const { id } = await record();
    const nothing = { remaining: gbp(0), remainingQuantity: 0, total: gbp(250), quantity: 10 };
    const off = await act(id, 'writeoff', { reason: 'Goodwill' });
    expect(off).toMatchObject({ state: 3, stateName: 'WrittenOff', ...nothing });
    await refuse(id, 'writeoff', { reason: 'x' }, 409, 'not_finalised');
    await refuse(id, 'unfinalise', undefined, 409, 'not_finalised');
    await refuse(id, 'finalise', undefined, 409, 'not_pending');
    await refuseChange(id, { quantity: 3 }, 'finalised');
    expectProblem(await api.delete(`costrecoveries/${id}`), 409, 'finalised');
    expect((await api.patch(`costrecoveries/${id}`, { description: 'Still' })).status).toBe(200);
    const back = await act(id, 'reinstate');
    expect(back).toMatchObject({ state: 1, remaining: gbp(250), remainingQuantity: 10 });
    await refuse(id, 'reinstate', undefined, 409, 'not_written_off');
  });

  it('is written off in parts, by amount and by quantity', async () => {
    const { id } = await record();
    const part = { reason: 'Too many', writeOffDate: '2025-06-30' };
    const first = await act(id, 'writeoff', { ...part, amount: 100 });
    expect(first).toMatchObject({ state: 1, remaining: gbp(150), remainingQuantity: 6 });
    await refuse(id, 'unfinalise', undefined, 409, 'partly_written_off');
    const second = await act(id, 'writeoff', { ...part, units: 1 });
    expect(second).toMatchObject({ remaining: gbp(125), remainingQuantity: 5 });
    await refuse(id, 'writeoff', { ...part, amount: 125.01 }, 422, 'more_than_remains');
    await refuse(id, 'writeoff', { ...part, units: 5.0001 }, 422, 'more_than_remains');
    await refuse(id, 'writeoff', { ...part, units: 1, amount: 1 }, 422, 'units_or_amount');
    await refuse(id, 'writeoff', { ...part, amount: 0.001 }, 422, 'too_precise');
    await refuse(id, 'writeoff', { writeOffDate: '2025-06-30' }, 422, 'validation_failed');
    expect(await act(id, 'writeoff', part)).toMatchObject({ state: 3, remainingQuantity: 0 });
    const { rows } = await api.data('GET', `costrecoveries/${id}/history`);
    expect(rows.map(({ type }: { type: string }) => type)).toEqual([
      'CostRecoveryCreated',
      'CostRecoveryFinalised',
      ...Array(3).fill('CostRecoveryWrittenOff'),
    ]);
    expect(rows[2]).toMatchObject({ changes: { day: '2025-06-30', amount: 100, units: 4 } });
    const back = await act(id, 'reinstate');
    expect(back).toMatchObject({ state: 1, remaining: gbp(250), remainingQuantity: 10 });
  });

  it('finalises many, and tells the result for each', async () => {
    const pending = [await record(), await record()].map(({ id }) => id);
    for (const id of pending) await act(id, 'unfinalise');
    const { id: off } = await record();
    await act(off, 'writeoff', { reason: 'x' });
    const unknown = `costrecovery_${'0'.repeat(32)}`;
    const key = { 'Idempotency-Key': mark() };
    const answer = await api.post(
      'costrecoveries/finalise',
      { ids: [...pending, off, pending[0], unknown] },
      key,
    );
    expect(answer.status).toBe(200);
    const reason = expect.any(String);
    expect(answer.body.data.rows).toEqual([
      ...pending.map((id) => ({ id, success: true, code: null, reason: null })),
      { id: off, success: false, code: 'not_pending', reason },
      { id: unknown, success: false, code: 'not_found', reason },
    ]);
    for (const id of pending)
      expect(await api.data('GET', `costrecoveries/${id}`)).toMatchObject({ state: 1 });
    for (const wrong of [{}, { ids: [] }, { ids: [`workitem_${'0'.repeat(32)}`] }]) {
      expectProblem(await api.post('costrecoveries/finalise', wrong), 422, 'validation_failed', '/ids');
    }
  });
});

describe('a matter with costs', () => {
  const close = (id: string) => api.post(`matters/${id}/close`);

  it('stays open while one is unbilled, and closes with costs that are only anticipated', async () => {
    const here = { matterId: await matter(api) };
    const [one, other] = [await record(here), await record(here)];
    await record({ ...here, kind: 'Anticipated' });
    await act(other.id, 'unfinalise');
    const refused = await close(here.matterId);
    expectProblem(refused, 409, 'unbilled_work');
    expect(refused.body.detail).toContain('2 unbilled cost recoveries');
    await act(one.id, 'writeoff', { reason: 'x' });
    expect((await close(here.matterId)).body.detail).toContain('1 unbilled cost recovery');
    await api.data('PATCH', `costrecoveries/${other.id}`, { kind: 'Anticipated' });
    expect((await close(here.matterId)).status).toBe(200);
    await refuse(one.id, 'reinstate', undefined, 409, 'matter_not_open');
    await refuse(other.id, 'finalise', undefined, 409, 'matter_not_open');
    await refuseChange(other.id, { kind: 'Incurred' }, 'matter_not_open');
    expect((await api.patch(`costrecoveries/${other.id}`, { quantity: 12 })).status).toBe(200);
    const { rows } = await api.data('POST', 'costrecoveries/finalise', { ids: [other.id] });
    expect(rows).toMatchObject([{ id: other.id, success: false, code: 'matter_not_open' }]);
    await api.data('POST', `matters/${here.matterId}/reopen`);
    expect(await act(one.id, 'reinstate')).toMatchObject({ state: 1, remaining: gbp(250) });
  });
});
