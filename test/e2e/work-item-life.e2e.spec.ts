import type { ApiClient } from '../support/client';
import { Office } from './office';
import { employee, hour, mark, matter } from './records';
import { expectProblem } from './refusals';

let office: Office;
let api: ApiClient;
let matterId: string;
let employeeId: string;

beforeAll(async () => {
  office = await Office.join();
  api = await office.tenant();
  [matterId, employeeId] = [await matter(api), await employee(api)];
});
afterAll(() => office.close());

const UNKNOWN = '0'.repeat(32);
const gbp = (Amount: number) => ({ Amount, Currency: 'GBP' });

/** A finalised hour worth 250, in ten units. */
const record = (fields: object = {}) => api.data('POST', 'workitems', hour(matterId, employeeId, fields));
const act = (id: string, action: string, body?: object) =>
  api.data('POST', `workitems/${id}/${action}`, body);
const refuse = async (id: string, action: string, body: object | undefined, status: number, code: string) =>
  expectProblem(await api.post(`workitems/${id}/${action}`, body), status, code);

/** The fee analysis of the employee, for all time. */
async function analysis(feeEarnerId: string) {
  const measures = [
    'workItemFinalised',
    'workItemFinalisedUnits',
    'workItemWrittenOff',
    'workItemWrittenOffUnits',
  ];
  const slice = { cols: measures.map((colId) => ({ colId, aggFunc: 'sum' })), totalsOnly: true };
  const criteria = { relativePeriod: 'ALL_TIME', feeEarnerId };
  const query = `query GetRows($criteria: FeeAnalysisFactCriteriaInput, $slice: AggregationSliceSpecInput) {
    fee_analysis(criteria: $criteria, slice: $slice) }`;
  const { body } = await api.graphql(query, { criteria, slice });
  return body.data.fee_analysis[0];
}

describe('the life of a work item', () => {
  it('is finalised at once, goes back to pending, is changed and finalised again', async () => {
    const { id, ...made } = await record();
    expect(made).toMatchObject({ state: 1, stateName: 'Finalised', version: 2 });
    expectProblem(await api.patch(`workitems/${id}`, { units: 3 }), 409, 'finalised');
    expectProblem(await api.patch(`workitems/${id}`, { title: 'New', units: 3 }), 409, 'finalised');
    expectProblem(await api.delete(`workitems/${id}`), 409, 'finalised');
    expect((await api.patch(`workitems/${id}`, { title: 'New' })).status).toBe(200);
    const { units, rate } = await api.data('GET', `workitems/${id}`);
    // Values that are sent back as they were shown are not changes.
    expect((await api.patch(`workitems/${id}`, { title: 'New', units, rate })).status).toBe(200);
    expectProblem(await api.patch(`workitems/${id}`, { units, rate: gbp(251) }), 409, 'finalised');
    expect(await act(id, 'finalise')).toMatchObject({ state: 1, version: 3, title: 'New' });
    expect(await act(id, 'unfinalise')).toMatchObject({ state: 0, stateName: 'Pending', version: 4 });
    expect(await act(id, 'unfinalise')).toMatchObject({ state: 0, version: 4 });
    await refuse(id, 'writeoff', { reason: 'x' }, 409, 'not_finalised');
    await refuse(id, 'reinstate', undefined, 409, 'not_written_off');
    await api.data('PATCH', `workitems/${id}`, { units: 3 });
    expect(await act(id, 'finalise')).toMatchObject({ state: 1, remaining: gbp(75), remainingUnits: 3 });
  });

  it('is written off whole and comes back', async () => {
    const { id } = await record();
    const off = await act(id, 'writeoff', { reason: 'Goodwill' });
    expect(off).toMatchObject({
      state: 3,
      stateName: 'WrittenOff',
      remaining: gbp(0),
      remainingUnits: 0,
      total: gbp(250),
    });
    await refuse(id, 'writeoff', { reason: 'x' }, 409, 'not_finalised');
    await refuse(id, 'unfinalise', undefined, 409, 'not_finalised');
    await refuse(id, 'finalise', undefined, 409, 'not_pending');
    expectProblem(await api.patch(`workitems/${id}`, { units: 3 }), 409, 'finalised');
    expectProblem(await api.delete(`workitems/${id}`), 409, 'finalised');
    expect((await api.patch(`workitems/${id}`, { title: 'Still' })).status).toBe(200);
    expect(await act(id, 'reinstate')).toMatchObject({ state: 1, remaining: gbp(250), remainingUnits: 10 });
    await refuse(id, 'reinstate', undefined, 409, 'not_written_off');
  });

  it('is written off in parts: pro rata, and the last part takes the rest', async () => {
    const { id } = await record();
    const part = { reason: 'Too long', writeOffDate: '2025-06-30' };
    expect(await act(id, 'writeoff', { ...part, amount: 100 })).toMatchObject({
      state: 1,
      remaining: gbp(150),
      remainingUnits: 6,
    });
    await refuse(id, 'unfinalise', undefined, 409, 'partly_written_off');
    expect(await act(id, 'writeoff', { ...part, units: 1 })).toMatchObject({
      remaining: gbp(125),
      remainingUnits: 5,
    });
    await refuse(id, 'writeoff', { ...part, amount: 125.01 }, 422, 'more_than_remains');
    await refuse(id, 'writeoff', { ...part, amount: gbp(125.01) }, 422, 'more_than_remains');
    await refuse(
      id,
      'writeoff',
      { ...part, amount: { Amount: 1, Currency: 'EUR' } },
      422,
      'currency_mismatch',
    );
    await refuse(id, 'writeoff', { ...part, units: 5.0001 }, 422, 'more_than_remains');
    await refuse(id, 'writeoff', { ...part, units: 1, amount: 1 }, 422, 'units_or_amount');
    await refuse(id, 'writeoff', { ...part, amount: 0.001 }, 422, 'too_precise');
    await refuse(id, 'writeoff', { ...part, amount: 0 }, 422, 'validation_failed');
    await refuse(id, 'writeoff', { writeOffDate: '2025-06-30' }, 422, 'validation_failed');
    await refuse(id, 'writeoff', { ...part, writeOffDate: '2025-02-30' }, 422, 'validation_failed');
    await refuse(id, 'writeoff', { ...part, writeOffDate: 'soon' }, 422, 'validation_failed');
    expect(await act(id, 'writeoff', { ...part, amount: gbp(33.33) })).toMatchObject({
      remaining: gbp(91.67),
      remainingUnits: 3.6668,
    });
    expect(await act(id, 'writeoff', { ...part, amount: 91.67 })).toMatchObject({
      state: 3,
      remainingUnits: 0,
    });
    expect(await act(id, 'reinstate')).toMatchObject({ state: 1, remaining: gbp(250), remainingUnits: 10 });
  });

  it('adds its changes to fee analysis, but not those of work that is not billable', async () => {
    const feeEarner = await employee(api);
    const work = (fields: object = {}) => api.data('POST', 'workitems', hour(matterId, feeEarner, fields));
    const one = await work();
    await work({ isBillable: false });
    await work({ matterId: null });
    await act(one.id, 'writeoff', { reason: 'x', amount: 50 });
    const part = {
      workItemFinalised: 250,
      workItemFinalisedUnits: 10,
      workItemWrittenOff: 50,
      workItemWrittenOffUnits: 2,
    };
    expect(await analysis(feeEarner)).toEqual(part);
    await act(one.id, 'reinstate');
    expect(await analysis(feeEarner)).toEqual({ ...part, workItemWrittenOff: 0, workItemWrittenOffUnits: 0 });
    await act(one.id, 'unfinalise');
    expect(await analysis(feeEarner)).toMatchObject({ workItemFinalised: 0, workItemFinalisedUnits: 0 });
  });

  it('can repeat a write-off safely', async () => {
    const { id } = await record();
    const key = { 'Idempotency-Key': mark() };
    const body = { reason: 'Once', amount: 50 };
    const first = await api.post(`workitems/${id}/writeoff`, body, key);
    const again = await api.post(`workitems/${id}/writeoff`, body, key);
    expect(again.body).toEqual(first.body);
    expect(await api.data('GET', `workitems/${id}`)).toMatchObject({ remaining: gbp(200) });
    expectProblem(
      await api.post(`workitems/${id}/writeoff`, { ...body, amount: 51 }, key),
      422,
      'idempotency_key_reused',
    );
  });

  it('finalises many, and tells the result for each', async () => {
    const pending = [];
    for (let count = 0; count < 3; count++) {
      const { id } = await record();
      await act(id, 'unfinalise');
      pending.push(id);
    }
    const { id: already } = await record();
    const { id: off } = await record();
    await act(off, 'writeoff', { reason: 'x' });
    const unknown = `workitem_${UNKNOWN}`;
    const key = { 'Idempotency-Key': mark() };
    const ids = [...pending, already, off, unknown, pending[0]];
    const answer = await api.post('workitems/finalise', { ids }, key);
    expect(answer.status).toBe(200);
    const done = { success: true, code: null, reason: null };
    expect(answer.body.data.rows).toEqual([
      ...[...pending, already].map((id) => ({ id, ...done })),
      { id: off, success: false, code: 'not_pending', reason: expect.any(String) },
      { id: unknown, success: false, code: 'not_found', reason: expect.any(String) },
    ]);
    expect(answer.headers.get('x-event-position')).toMatch(/\S/);
    const again = await api.post('workitems/finalise', { ids }, key);
    expect({ body: again.body, replayed: again.headers.get('idempotent-replayed') }).toEqual({
      body: answer.body,
      replayed: 'true',
    });
    for (const id of pending) expect(await api.data('GET', `workitems/${id}`)).toMatchObject({ state: 1 });
    for (const wrong of [{}, { ids: [] }, { ids: 'x' }, { ids: [`matter_${UNKNOWN}`] }, { ids: [null] }]) {
      expectProblem(await api.post('workitems/finalise', wrong), 422, 'validation_failed', '/ids');
    }
    expectProblem(
      await api.post('workitems/finalise', { ids: Array(201).fill(unknown) }),
      422,
      'validation_failed',
      '/ids',
    );
  });

  it('does not become billable work on a closed matter', async () => {
    const closed = await matter(api);
    const { id } = await api.data('POST', 'workitems', hour(closed, employeeId, { isBillable: false }));
    await act(id, 'unfinalise');
    await api.data('POST', `matters/${closed}/close`);
    expectProblem(await api.patch(`workitems/${id}`, { isBillable: true }), 409, 'matter_not_open');
    expect((await api.patch(`workitems/${id}`, { units: 3 })).status).toBe(200);
  });
});
