import type { ApiClient } from '../support/client';
import { Office } from './office';
import { activeClient, employee, HOUR, mark, matter } from './records';
import { expectProblem } from './refusals';

let office: Office;
let api: ApiClient;

beforeAll(async () => {
  office = await Office.join();
  api = await office.tenant(undefined, ['autoFinaliseWorkItems=false']);
});
afterAll(() => office.close());

const UNKNOWN = '0'.repeat(32);
const gbp = (Amount: number) => ({ Amount, Currency: 'GBP' });
const agree = (scope: 'Matter' | 'Client', scopeId: string, fields: object) =>
  api.create('applicablerates', { scope, scopeId, effectiveFrom: '2025-01-01', ...fields });
const rateSet = (fields: object) => api.create('ratesets', { name: mark(), currency: 'GBP', ...fields });
const taskType = (fields: object = {}) =>
  api.create('tasktypes', { code: mark(), name: 'Drafting', ...fields });

interface Place {
  clientId: string;
  matterId: string;
  employeeId: string;
}

/** A matter of a new client, and an employee with a new billing grade. */
async function place(fields: object = {}): Promise<Place & { billingGrade: string }> {
  const clientId = await activeClient(api);
  const billingGrade = mark();
  const employeeId = await employee(api, { billingGrade, ...fields });
  return { clientId, matterId: await matter(api, { clientId }), employeeId, billingGrade };
}

const work = ({ matterId, employeeId }: Place, fields: object = {}) => ({
  matterId,
  employeeId,
  itemType: 0,
  durationTicks: HOUR,
  entryDate: '2025-06-12T10:00:00Z',
  ...fields,
});
const record = (at: Place, fields: object = {}) => api.data('POST', 'workitems', work(at, fields));
const resolve = ({ matterId, employeeId }: Place, more: Record<string, string> = {}) =>
  api.data(
    'GET',
    `applicablerates/resolve?${new URLSearchParams({ matterId, employeeId, date: '2025-06-12', ...more })}`,
  );

describe('the rate of work', () => {
  it('comes from the first level that has one, which the item and the answer of resolve both name', async () => {
    const at = await place({ defaultRate: gbp(60) });
    const taskTypeId = await taskType({ rate: gbp(50) });
    const firm = await rateSet({ isDefault: true, entries: [{ rate: gbp(70) }] });
    const expectRate = async (
      source: string,
      amount: number,
      fields: Record<string, string> = { taskTypeId },
    ) => {
      expect(await record(at, fields)).toMatchObject({ rate: gbp(amount), rateSource: source });
      const resolved = await resolve(at, fields);
      expect(resolved).toMatchObject({ rate: gbp(amount), source });
      expect(resolved.trace.at(-1)).toMatchObject({ level: source, outcome: 'Found' });
      return resolved.trace;
    };
    await expectRate('EmployeeDefault', 60, {});
    await expectRate('TaskType', 50);
    const clientSet = await rateSet({ entries: [{ rate: gbp(40) }] });
    await api.data('PATCH', `clients/${at.clientId}`, { defaultRateSetId: clientSet });
    await expectRate('ClientRateSet', 40);
    const matterSet = await rateSet({
      entries: [{ rate: gbp(30) }, { rate: gbp(31), billingGrade: 'no one' }],
    });
    await api.data('PATCH', `matters/${at.matterId}`, { rateSetId: matterSet });
    await expectRate('MatterRateSet', 30);
    const agreed = await agree('Client', at.clientId, { rate: gbp(20) });
    const trace = await expectRate('ClientRate', 20);
    expect(trace).toEqual([
      { level: 'MatterRate', outcome: 'None', recordId: null, detail: 'no rate was agreed' },
      { level: 'ClientRate', outcome: 'Found', recordId: agreed, detail: '20 GBP' },
    ]);
    await agree('Matter', at.matterId, { rate: gbp(10) });
    await expectRate('MatterRate', 10);
    await agree('Matter', at.matterId, { rate: gbp(11), employeeId: at.employeeId });
    await agree('Matter', at.matterId, { rate: gbp(12), employeeId: await employee(api) });
    await expectRate('MatterRate', 11);
    expect(await record(at, { rate: gbp(99), taskTypeId })).toMatchObject({
      rate: gbp(99),
      rateSource: 'Request',
      taskTypeId,
    });
    const nobody = await place();
    expect(await record(nobody)).toMatchObject({ rate: gbp(70), rateSource: 'DefaultRateSet' });
    const office = await record(nobody, { matterId: null });
    expect(office).toMatchObject({ rate: gbp(70), rateSource: 'DefaultRateSet' });
    const elsewhere = await api.data(
      'GET',
      `applicablerates/resolve?employeeId=${nobody.employeeId}&date=2025-06-12T23:30:00Z&itemType=0`,
    );
    expect(elsewhere).toMatchObject({ source: 'DefaultRateSet', rate: gbp(70) });
    await api.data('PATCH', `ratesets/${firm}`, { entries: null });
  });

  it('depends on grade, job title and type of matter, on the entry date and on the kind of work', async () => {
    const at = await place({ jobTitle: 'Partner' });
    const matterTypeId = await api.create('mattertypes', { name: mark() });
    await api.data('PATCH', `matters/${at.matterId}`, { matterTypeId, rateSetId: undefined });
    const entries = [
      { rate: gbp(1) },
      { rate: gbp(2), matterTypeId },
      { rate: gbp(3), jobTitle: 'Partner' },
      { rate: gbp(4), billingGrade: at.billingGrade },
      { rate: gbp(5), per: 'Unit' },
      { rate: gbp(6), billingGrade: 'other', jobTitle: 'Partner', matterTypeId },
    ];
    const now = await rateSet({ entries, from: '2025-06-01', to: '2025-06-30' });
    await api.data('PATCH', `matters/${at.matterId}`, { rateSetId: now });
    expect((await resolve(at)).rate).toEqual(gbp(4));
    expect((await resolve(at, { itemType: '1' })).rate).toEqual(gbp(5));
    expect(await record(at, { itemType: 1 })).toMatchObject({ units: 1, total: gbp(5) });
    // In London it is already July.
    expect((await resolve(at, { date: '2025-06-30T22:59:59Z' })).rate).toEqual(gbp(4));
    const july = await resolve(at, { date: '2025-06-30T23:00:00Z' });
    expect(july).toMatchObject({ rate: null, source: null });
    expect(july.trace[2]).toMatchObject({ level: 'MatterRateSet', outcome: 'NotInForce', recordId: now });
    for (const [entry, rate] of [[3, 3] as const, [2, 2] as const, [1, 1] as const]) {
      const left = entries.slice(0, entry);
      await api.data('PATCH', `ratesets/${now}`, { entries: left });
      expect((await resolve(at)).rate).toEqual(gbp(rate));
    }
  });

  it('is refused with all levels that were tried when there is none', async () => {
    const at = await place();
    const refused = await api.post('workitems', work(at));
    expectProblem(refused, 422, 'rate_not_found', '/rate');
    const levels = ['MatterRate', 'ClientRate', 'MatterRateSet', 'ClientRateSet', 'TaskType'];
    expect(refused.body.errors.map(({ message }: { message: string }) => message.split(/[ :]/)[0])).toEqual([
      ...levels,
      'EmployeeDefault',
      'DefaultRateSet',
    ]);
    expect(refused.body.detail).toContain('the employee has no default rate');
    const { rate, source, trace } = await resolve(at);
    expect({ rate, source, tried: trace.length }).toEqual({ rate: null, source: null, tried: 7 });
  });

  it('stays on the item until something changes on which it depends', async () => {
    const at = await place({ defaultRate: gbp(60) });
    const item = await record(at);
    const change = (fields: object) =>
      api.data('PATCH', `workitems/${item.id}`, fields, { Prefer: 'return=representation' });
    await api.data('PATCH', `employees/${at.employeeId}`, { defaultRate: gbp(61) });
    const agreed = await agree('Matter', at.matterId, { rate: gbp(20), effectiveTo: '2025-06-12' });
    expect(await change({ units: 3 })).toMatchObject({ rate: gbp(60), rateSource: 'EmployeeDefault' });
    expect(await change({ entryDate: '2025-06-12T11:00:00Z' })).toMatchObject({ rate: gbp(60) });
    expect(await change({ entryDate: '2025-06-11T11:00:00Z' })).toMatchObject({
      rate: gbp(20),
      rateSource: 'MatterRate',
      total: gbp(6),
    });
    expect(await change({ entryDate: '2025-06-13T11:00:00Z' })).toMatchObject({ rate: gbp(61) });
    const taskTypeId = await taskType({ rate: gbp(50) });
    expect(await change({ taskTypeId })).toMatchObject({ taskTypeId, rate: gbp(50), rateSource: 'TaskType' });
    expect(await change({ taskTypeId: null })).toMatchObject({ taskTypeId: null, rate: gbp(61) });
    expect(await change({ rate: gbp(5) })).toMatchObject({ rate: gbp(5), rateSource: 'Request' });
    expect(await change({ entryDate: '2025-06-11T11:00:00Z' })).toMatchObject({ rateSource: 'Request' });
    expect(await change({ rate: null })).toMatchObject({ rate: gbp(20), rateSource: 'MatterRate' });
    await api.data('PATCH', `applicablerates/${agreed}`, { rate: gbp(25) });
    expect(await change({ title: 'Renamed' })).toMatchObject({ rate: gbp(20) });
    const other = await place({ defaultRate: gbp(77) });
    expect(await change({ matterId: other.matterId })).toMatchObject({ rate: gbp(61) });
    expect(await change({ employeeId: other.employeeId })).toMatchObject({ rate: gbp(77) });
    const itemised = await api.patch(`workitems/${item.id}`, { itemType: 1 });
    expectProblem(itemised, 422, 'rate_not_found', '/rate');
  });

  it('says what is wrong with a request', async () => {
    const { matterId, employeeId } = await place();
    const ask = (query: Record<string, string>) =>
      api.get(`applicablerates/resolve?${new URLSearchParams({ employeeId, date: '2025-06-12', ...query })}`);
    expectProblem(
      await api.get(`applicablerates/resolve?date=2025-06-12`),
      400,
      'invalid_query',
      '/employeeId',
    );
    const undated = await api.get(`applicablerates/resolve?employeeId=${employeeId}`);
    expectProblem(undated, 400, 'invalid_query', '/date');
    const wrongs = [
      { employeeId: 'x' },
      { matterId: employeeId },
      { date: '2025-02-30' },
      { itemType: '2' },
      { colour: 'red' },
    ] as Record<string, string>[];
    for (const wrong of wrongs) expectProblem(await ask(wrong), 400, 'invalid_query');
    expectProblem(await ask({ matterId: `matter_${UNKNOWN}` }), 422, 'matter_not_found', '/matterId');
    expectProblem(await ask({ taskTypeId: `tasktype_${UNKNOWN}` }), 422, 'tasktype_not_found', '/taskTypeId');
    const stranger = await office.tenant();
    const theirs = `applicablerates/resolve?${new URLSearchParams({ matterId, employeeId, date: '2025-06-12' })}`;
    expectProblem(await stranger.get(theirs), 422, 'matter_not_found', '/matterId');
    const credentials = await office.integration(api.tenant);
    const narrow = await office.caller(api.tenant, credentials, { scope: 'matters:read' });
    expectProblem(await narrow.get(theirs), 403, 'permission_denied');
  });
});

describe('the task type of work', () => {
  it('determines title and billing of the work unless the request does', async () => {
    const at = await place({ defaultRate: gbp(60) });
    const taskTypeId = await taskType({ narration: 'Considering', isBillable: false });
    const item = await record(at, { taskTypeId });
    expect(item).toMatchObject({ taskTypeId, title: 'Considering', isBillable: false });
    expect((await api.data('GET', `workitems/${item.id}`)).taskTypeName).toBe('Drafting');
    const own = await record(at, { taskTypeId, title: 'Reading', isBillable: true });
    expect(own).toMatchObject({ title: 'Reading', isBillable: true });
    const change = (fields: object) =>
      api.data('PATCH', `workitems/${own.id}`, fields, { Prefer: 'return=representation' });
    expect(await change({ isBillable: null })).toMatchObject({ isBillable: false, title: 'Reading' });
    expect(await change({ isBillable: null, taskTypeId: null })).toMatchObject({ isBillable: true });
    expectProblem(await api.delete(`tasktypes/${taskTypeId}`), 409, 'in_use');
  });

  it('must exist and be active when it is given', async () => {
    const at = await place({ defaultRate: gbp(60) });
    const unknown = { taskTypeId: `tasktype_${UNKNOWN}` };
    expectProblem(await api.post('workitems', work(at, unknown)), 422, 'tasktype_not_found', '/taskTypeId');
    const taskTypeId = await taskType();
    const item = await record(at, { taskTypeId });
    await api.data('POST', `tasktypes/${taskTypeId}/deactivate`);
    const given = await api.post('workitems', work(at, { taskTypeId }));
    expectProblem(given, 422, 'tasktype_not_active', '/taskTypeId');
    await api.data('PATCH', `workitems/${item.id}`, { units: 2, taskTypeId });
    const other = await record(at);
    const patched = await api.patch(`workitems/${other.id}`, { taskTypeId });
    expectProblem(patched, 422, 'tasktype_not_active', '/taskTypeId');
  });
});
