import type { Answer, ApiClient } from '../support/client';
import { BillingDesk, fee } from './billing-desk';
import { activeClient, employee, hour, matter } from './records';
import { expectProblem } from './refusals';

let desk: BillingDesk;
let api: ApiClient;
let stranger: ApiClient;
let clientId: string;
let matterId: string;
let employeeId: string;

beforeAll(async () => {
  desk = await BillingDesk.open();
  ({ api, clientId, matterId, employeeId } = desk);
  stranger = await desk.office.tenant();
});
afterAll(() => desk.close());

describe('an invoice', () => {
  it.each([
    ['no such item', () => fee(`workitem_${'0'.repeat(32)}`), 422, 'workitem_not_found'],
    ['an item of another tenant', async () => fee(await foreign()), 422, 'workitem_not_found'],
    ['a pending item', async () => fee(await pending()), 409, 'not_finalised'],
    ['an item not billable', async () => fee(await desk.work({ isBillable: false })), 422, 'not_billable'],
    ['an item of another matter', async () => fee(await elsewhere()), 422, 'other_matter'],
    ['a record of another kind', () => fee(matterId), 422, 'validation_failed'],
    [
      'a cost line for time',
      async () => ({ ...fee(await desk.work()), kind: 'CostRecovery' }),
      422,
      'line_kind_mismatch',
    ],
    ['a line without an amount', () => ({ kind: 'Fee' }), 422, 'amount_required'],
    ['a negative fee', () => ({ kind: 'Fee', amount: -1 }), 422, 'negative_amount'],
    ['a text with an amount', () => ({ kind: 'Text', amount: 1 }), 422, 'text_only'],
    ['half a penny', () => ({ kind: 'Fee', amount: 1.005 }), 422, 'too_precise'],
    [
      'more than an amount can be',
      () => ({ kind: 'Fee', units: 9_999_999, rate: 99_999 }),
      422,
      'amount_too_large',
    ],
    [
      'an amount for more units than there can be',
      async () => ({ ...fee(await desk.work()), amount: 99_999_999_999 }),
      422,
      'units_too_large',
    ],
    [
      'another currency',
      () => ({ kind: 'Fee', amount: { Amount: 1, Currency: 'EUR' } }),
      422,
      'currency_mismatch',
    ],
    [
      'no such tax code',
      () => ({ kind: 'Fee', amount: 1, taxCodeId: `taxcode_${'0'.repeat(32)}` }),
      422,
      'taxcode_not_found',
    ],
  ])('refuses a line for %s, and writes nothing', async (_what, line, status, code) => {
    const source = await desk.work();
    const lines = [fee(source), await line()];
    expectProblem(await api.post('invoices', { clientId, matterId, lines }), status, code);
    expect(await desk.item(source)).toMatchObject({ invoiceId: null });
  });

  it('refuses the same item twice, an empty invoice, a wrong client and a matter that is not open', async () => {
    const source = await desk.work();
    const twice = await api.post('invoices', { clientId, matterId, lines: [fee(source), fee(source)] });
    expectProblem(twice, 422, 'source_twice', '/lines/1/sourceId');
    const large = { kind: 'Fee', amount: 60_000_000_000 };
    const beyond = await api.post('invoices', { clientId, matterId, lines: [large, large] });
    expectProblem(beyond, 422, 'amount_too_large', '/lines');
    const { id } = await desk.draft([{ kind: 'Text', description: 'Nothing' }]);
    await desk.refuse(id, 'issue', {}, 409, 'invoice_empty');
    await desk.refuse(id, 'issue', { issueDate: '2025-06-30', dueDate: '2025-06-29' }, 409, 'invoice_empty');
    await desk.refuse(id, 'void', {}, 409, 'invoice_not_issued');
    const other = await activeClient(api);
    expectProblem(
      await api.post('invoices', { clientId: other, matterId }),
      422,
      'client_mismatch',
      '/clientId',
    );
    expectProblem(await api.patch(`invoices/${id}`, { clientId: other }), 422, 'client_fixed', '/clientId');
    const currency = { currency: 'USD' };
    expectProblem(await api.patch(`invoices/${id}`, currency), 422, 'currency_fixed', '/currency');
    expect((await api.patch(`invoices/${id}`, { currency: null })).status).toBe(200);
    expectProblem(
      await api.patch(`invoices/${id}`, { issueDate: '2025-02-02', dueDate: '2025-02-01' }),
      422,
      'due_before_issue',
    );
    const closed = await matter(api, { clientId });
    await api.data('POST', `matters/${closed}/close`);
    expectProblem(
      await api.post('invoices', { clientId, matterId: closed }),
      422,
      'matter_not_open',
      '/matterId',
    );
  });

  it('is not exported as LEDES while two of its fee earners have the same initials', async () => {
    const [one, other] = [await employee(api, { initials: 'JS' }), await employee(api, { initials: 'JS' })];
    const { id } = await desk.draft([
      fee(await desk.work({ employeeId: one })),
      fee(await desk.work({ employeeId: other })),
    ]);
    await desk.act(id, 'issue');
    expectProblem(await api.get(`invoices/${id}/ledes`), 409, 'ledes_timekeepers_alike');
    for (const initials of ['JSM', '', null]) {
      expect((await api.patch(`employees/${other}`, { initials })).status).toBe(200);
      const file = (await api.get(`invoices/${id}/ledes`)).body as unknown as string;
      expect(file).toContain(`|${initials || other.slice(-12)}|`);
    }
  });
});

it('names the line of the request that has an unknown tax code, however many lines the invoice has', async () => {
  const { id } = await desk.draft([
    { kind: 'Fee', amount: 1 },
    { kind: 'Fee', amount: 2 },
  ]);
  const { lines } = await api.data('GET', `invoices/${id}`);
  const wrong = { kind: 'Fee', amount: 3, taxCodeId: `taxcode_${'0'.repeat(32)}` };
  const right = { kind: 'Fee', amount: 4 };
  const refused = (answer: Answer, line: number) =>
    expectProblem(answer, 422, 'taxcode_not_found', `/lines/${line}/taxCodeId`);
  refused(await api.post(`invoices/${id}/lines`, { lines: [right, wrong] }), 1);
  refused(await api.patch(`invoices/${id}`, { lines: [right, right, right, wrong] }), 3);
  refused(await api.patch(`invoices/${id}`, { lines: [lines[0], right, wrong] }), 2);
});

it('names no line of the request when an added unbilled item has a tax code without a rate on the day', async () => {
  const rates = [{ percent: 5, from: '2025-01-01' }];
  const taxCodeId = await api.create('taxcodes', { code: 'LATE', name: 'Late', category: 'Reduced', rates });
  const disbursementCodeId = await api.create('disbursementcodes', { code: 'LATE', name: 'Late', taxCodeId });
  const own = await matter(api, { clientId });
  const cost = { matterId: own, disbursementCodeId, kind: 'CostRecovery', entryDate: '2025-06-12T10:00:00Z' };
  await api.create('costrecoveries', { ...cost, quantity: 1, unitAmount: { Amount: 25, Currency: 'GBP' } });
  const { id } = await desk.draft([], { matterId: own, issueDate: '2024-06-30' });
  const body = { lines: [{ kind: 'Text', description: 'Costs' }], unbilledUntil: '2025-06-30' };
  const refusal = await api.post(`invoices/${id}/lines`, body);
  expectProblem(refusal, 422, 'tax_rate_not_found');
  expect(refusal.body.errors).toEqual([]);
});

async function pending(): Promise<string> {
  const id = await desk.work();
  await api.data('POST', `workitems/${id}/unfinalise`);
  return id;
}

async function elsewhere(): Promise<string> {
  return api.create('workitems', hour(await matter(api, { clientId }), employeeId));
}

async function foreign(): Promise<string> {
  return stranger.create('workitems', hour(await matter(stranger), await employee(stranger)));
}
