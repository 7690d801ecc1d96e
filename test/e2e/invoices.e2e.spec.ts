import type { ApiClient, Json } from '../support/client';
import { Office } from './office';
import { behavesAsRecords } from './record-behaviour';
import { activeClient, employee, hour, mark, matter } from './records';
import { expectProblem } from './refusals';

let office: Office;
let api: ApiClient;
let stranger: ApiClient;
let colleague: ApiClient;
let clientId: string;
let matterId: string;
let employeeId: string;

beforeAll(async () => {
  office = await Office.join();
  [api, stranger] = [await office.tenant(), await office.tenant()];
  colleague = await office.caller(api.tenant, await office.integration(api.tenant));
  clientId = await activeClient(api);
  [matterId, employeeId] = [await matter(api, { clientId }), await employee(api)];
});
afterAll(() => office.close());

const gbp = (Amount: number) => ({ Amount, Currency: 'GBP' });
/** An hour worth 250 in ten units. */
const work = (fields: object = {}) => api.create('workitems', hour(matterId, employeeId, fields));
const draft = (lines: object[] = [], fields: object = {}) =>
  api.data('POST', 'invoices', { clientId, matterId, lines, ...fields });
const fee = (sourceId: string, fields: object = {}) => ({ kind: 'Fee', sourceId, ...fields });
const act = (id: string, action: string, body: object = {}) =>
  api.data('POST', `invoices/${id}/${action}`, body);
const refuse = async (id: string, action: string, body: object, status: number, code: string) =>
  expectProblem(await api.post(`invoices/${id}/${action}`, body), status, code);
const item = (id: string) => api.data('GET', `workitems/${id}`);

describe('invoices', () => {
  behavesAsRecords(
    {
      path: 'invoices',
      kind: 'invoice',
      optional: { field: 'dueDate', first: '2025-07-30', second: '2025-08-30' },
      required: 'clientId',
      sorts: ['number', 'issueDate', 'createdOn', 'updatedOn'],
      actions: ['lines', 'issue', 'unissue', 'void'],
      badFilters: ['state=6', 'state=Draft', 'clientId=1', 'matterId=1', 'issueDateFrom=x', 'issueDateTo=1'],
    },
    () => ({
      ...{ api, stranger, colleague },
      body: async (keyword) => {
        const client = await activeClient(api, keyword);
        return { clientId: client, matterId: await matter(api, { clientId: client }) };
      },
    }),
  );

  it('is drafted from work, which it reserves, and taxed by the Standard code', async () => {
    const [first, second] = [await work({ title: 'Advice' }), await work({ title: 'Letter' })];
    const invoice = await draft([
      fee(first),
      fee(second, { amount: 200 }),
      { kind: 'Text', description: 'Thanks' },
    ]);
    expect(invoice).toMatchObject({
      ...{ state: 0, stateName: 'Draft', number: null, issueDate: null, dueDate: null, currency: 'GBP' },
      ...{ net: gbp(450), tax: gbp(90), total: gbp(540), balance: gbp(0), paid: gbp(0), payments: [] },
      lines: [
        {
          ...{ id: 1, kind: 'Fee', sourceId: first, description: 'Advice', units: 10, rate: gbp(250) },
          ...{ amount: gbp(250), taxRate: 20 },
        },
        { id: 2, sourceId: second, description: 'Letter', units: 8, amount: gbp(200), taxRate: 20 },
        { id: 3, kind: 'Text', sourceId: null, units: null, amount: gbp(0), taxCodeId: null, taxRate: null },
      ],
    });
    expect(await item(first)).toMatchObject({ state: 1, invoiceId: invoice.id, remaining: gbp(250) });
    for (const [path, body] of [
      ['unfinalise', undefined],
      ['writeoff', { reason: 'x' }],
      ['reinstate', undefined],
    ] as const)
      expectProblem(await api.post(`workitems/${first}/${path}`, body), 409, 'reserved');
    expectProblem(await api.patch(`workitems/${first}`, { title: 'New' }), 409, 'reserved');
    const again = await api.post('invoices', { clientId, matterId, lines: [fee(await work()), fee(first)] });
    expectProblem(again, 409, 'reserved', '/lines/1/sourceId');
  });

  it('is issued, unissued, issued again under its number, and voided; its items follow', async () => {
    const [exact, below, above] = [await work(), await work(), await work()];
    const { id } = await draft([fee(exact), fee(below, { amount: 100 }), fee(above, { amount: 300 })]);
    const issued = await act(id, 'issue', { issueDate: '2025-06-30' });
    expect(issued).toMatchObject({
      ...{ state: 1, stateName: 'Issued', issueDate: '2025-06-30', dueDate: '2025-07-30' },
      ...{ number: expect.stringMatching(/^\d+$/), net: gbp(650), total: gbp(780), balance: gbp(780) },
    });
    for (const one of [exact, below, above])
      expect(await item(one)).toMatchObject({
        state: 2,
        invoiceId: id,
        remaining: gbp(0),
        remainingUnits: 0,
      });
    expectProblem(await api.patch(`workitems/${exact}`, { title: 'New' }), 409, 'finalised');
    await refuse(id, 'issue', {}, 409, 'invoice_not_draft');
    await refuse(id, 'lines', { lines: [] }, 409, 'invoice_not_draft');
    expectProblem(await api.patch(`invoices/${id}`, { dueDate: '2026-01-01' }), 409, 'invoice_not_draft');
    expectProblem(await api.delete(`invoices/${id}`), 409, 'invoice_not_draft');
    await refuse(id, 'unissue', { date: '2025-06-29' }, 422, 'before_issue');
    const back = await act(id, 'unissue', { date: '2025-07-01' });
    expect(back).toMatchObject({ state: 0, number: issued.number, balance: gbp(0) });
    expect(await item(below)).toMatchObject({ state: 1, invoiceId: id, remaining: gbp(250) });
    expectProblem(await api.delete(`invoices/${id}`), 409, 'invoice_numbered');
    const again = await act(id, 'issue', { issueDate: '2025-07-02' });
    expect(again).toMatchObject({ number: issued.number, issueDate: '2025-07-02', dueDate: '2025-08-01' });
    const voided = await act(id, 'void', { date: '2025-07-03' });
    expect(voided).toMatchObject({ state: 4, stateName: 'Voided', number: issued.number, balance: gbp(0) });
    expect(await item(above)).toMatchObject({ state: 1, invoiceId: null, remaining: gbp(250) });
    for (const action of ['issue', 'unissue', 'void', 'pay', 'writeoff'])
      expect((await api.post(`invoices/${id}/${action}`, { amount: 1, reason: 'x' })).status).not.toBe(200);
    const next = await draft([fee(exact)]);
    const { number } = await act(next.id, 'issue');
    expect(Number(number)).toBe(Number(issued.number) + 1);
    await act(next.id, 'unissue');
    expect(await act(next.id, 'void')).toMatchObject({ state: 4 });
    expect(await item(exact)).toMatchObject({ state: 1, invoiceId: null });
  });

  it('is paid in parts, never too much, and a payment is taken back', async () => {
    const { id } = await draft([fee(await work())]);
    await refuse(id, 'pay', { amount: 1 }, 409, 'invoice_not_owed');
    await act(id, 'issue');
    await refuse(id, 'pay', { amount: gbp(300.01) }, 422, 'overpayment');
    await refuse(id, 'pay', { amount: 0 }, 422, 'validation_failed');
    await refuse(id, 'pay', { amount: 0.001 }, 422, 'too_precise');
    await refuse(id, 'pay', { amount: { Amount: 1, Currency: 'EUR' } }, 422, 'currency_mismatch');
    const part = await act(id, 'pay', { amount: gbp(100), date: '2025-07-01', reference: 'BACS' });
    expect(part).toMatchObject({
      ...{ state: 2, stateName: 'PartPaid', paid: gbp(100), balance: gbp(200) },
      payments: [{ id: 1, date: '2025-07-01', amount: gbp(100), reference: 'BACS', reversedDate: null }],
    });
    for (const action of ['unissue', 'void']) await refuse(id, action, {}, 409, 'payment_stands');
    expect(await act(id, 'pay', { amount: 200 })).toMatchObject({
      state: 3,
      stateName: 'Paid',
      balance: gbp(0),
    });
    await refuse(id, 'pay', { amount: 1 }, 409, 'invoice_not_owed');
    await refuse(id, 'writeoff', { reason: 'x' }, 409, 'invoice_not_owed');
    const back = await act(id, 'payments/1/reverse', { date: '2025-07-02', reason: 'Bounced' });
    expect(back).toMatchObject({
      ...{ state: 2, paid: gbp(200), balance: gbp(100) },
      payments: [
        { id: 1, reversedDate: '2025-07-02', reversalReason: 'Bounced' },
        { id: 2, reversedDate: null },
      ],
    });
    await refuse(id, 'payments/1/reverse', {}, 409, 'payment_reversed');
    await refuse(id, 'payments/3/reverse', {}, 404, 'payment_not_found');
    await refuse(id, 'payments/x/reverse', {}, 404, 'not_found');
    expect(await act(id, 'payments/2/reverse')).toMatchObject({ state: 1, balance: gbp(300) });
    expect(await act(id, 'void')).toMatchObject({ state: 4 });
  });

  it('is given up as bad debt, which leaves its items billed', async () => {
    const source = await work();
    const { id } = await draft([fee(source)]);
    await act(id, 'issue');
    await act(id, 'pay', { amount: 50 });
    await refuse(id, 'writeoff', {}, 422, 'validation_failed');
    const written = await act(id, 'writeoff', { reason: 'Insolvent' });
    expect(written).toMatchObject({
      state: 5,
      stateName: 'WrittenOff',
      balance: gbp(0),
      writtenOff: gbp(250),
    });
    expect(await item(source)).toMatchObject({ state: 2 });
    await refuse(id, 'payments/1/reverse', {}, 409, 'invoice_not_owed');
    await refuse(id, 'void', {}, 409, 'invoice_not_issued');
  });

  it('takes lines, gives them back one by one, and takes all that is unbilled', async () => {
    const own = await matter(api, { clientId });
    const record = (fields: object) => api.create('workitems', hour(own, employeeId, fields));
    const early = await record({ entryDate: '2025-06-01T10:00:00Z' });
    const late = await record({ entryDate: '2025-06-20T10:00:00Z' });
    await record({ isBillable: false });
    const { id } = await api.data('POST', 'invoices', { clientId, matterId: own });
    const added = await act(id, 'lines', {
      unbilledUntil: '2025-06-10',
      lines: [{ kind: 'Discount', description: 'Early payment', amount: 50 }],
    });
    expect(added.lines).toMatchObject([
      { id: 1, kind: 'Discount', amount: gbp(-50) },
      { id: 2, kind: 'Fee', sourceId: early },
    ]);
    expect(added).toMatchObject({ net: gbp(200), tax: gbp(40) });
    expect((await api.delete(`invoices/${id}/lines/2`)).status).toBe(204);
    expectProblem(await api.delete(`invoices/${id}/lines/2`), 404, 'line_not_found');
    expect(await item(early)).toMatchObject({ invoiceId: null });
    await refuse(id, 'issue', {}, 409, 'negative_total');
    const all = await act(id, 'lines', { unbilledUntil: '2025-06-30' });
    expect(all.lines.map((line: Json) => [line.id, line.sourceId])).toEqual([
      [1, null],
      [3, early],
      [4, late],
    ]);
    const replaced = await api.patch(
      `invoices/${id}`,
      { lines: [fee(late)] },
      { Prefer: 'return=representation' },
    );
    expect(replaced.body.data).toMatchObject({ net: gbp(250), lines: [{ id: 5, sourceId: late }] });
    expect(await item(early)).toMatchObject({ invoiceId: null });
    expect(await item(late)).toMatchObject({ invoiceId: id });
    const closing = await api.post(`matters/${own}/close`);
    expectProblem(closing, 409, 'unbilled_work');
    expect(closing.body.detail).toBe('The matter has 2 unbilled work items, 1 draft invoice.');
    expect((await api.delete(`invoices/${id}`)).status).toBe(204);
    expect(await item(late)).toMatchObject({ invoiceId: null, state: 1 });
  });

  it.each([
    ['no such item', () => fee(`workitem_${'0'.repeat(32)}`), 422, 'workitem_not_found'],
    ['an item of another tenant', async () => fee(await foreign()), 422, 'workitem_not_found'],
    ['a pending item', async () => fee(await pending()), 409, 'not_finalised'],
    ['an item not billable', async () => fee(await work({ isBillable: false })), 422, 'not_billable'],
    ['an item of another matter', async () => fee(await elsewhere()), 422, 'other_matter'],
    ['a record of another kind', () => fee(matterId), 422, 'validation_failed'],
    [
      'a cost line for time',
      async () => ({ ...fee(await work()), kind: 'CostRecovery' }),
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
      async () => ({ ...fee(await work()), amount: 99_999_999_999 }),
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
    const source = await work();
    const lines = [fee(source), await line()];
    expectProblem(await api.post('invoices', { clientId, matterId, lines }), status, code);
    expect(await item(source)).toMatchObject({ invoiceId: null });
  });

  it('refuses the same item twice, an empty invoice, a wrong client and a matter that is not open', async () => {
    const source = await work();
    const twice = await api.post('invoices', { clientId, matterId, lines: [fee(source), fee(source)] });
    expectProblem(twice, 422, 'source_twice', '/lines/1/sourceId');
    const { id } = await draft([{ kind: 'Text', description: 'Nothing' }]);
    await refuse(id, 'issue', {}, 409, 'invoice_empty');
    await refuse(id, 'issue', { issueDate: '2025-06-30', dueDate: '2025-06-29' }, 409, 'invoice_empty');
    await refuse(id, 'void', {}, 409, 'invoice_not_issued');
    const other = await activeClient(api);
    expectProblem(
      await api.post('invoices', { clientId: other, matterId }),
      422,
      'client_mismatch',
      '/clientId',
    );
    expectProblem(await api.patch(`invoices/${id}`, { clientId: other }), 422, 'client_fixed', '/clientId');
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

  it('takes nothing back to a matter that is closed, but payments and bad debt go on', async () => {
    const own = await matter(api, { clientId });
    const source = await api.create('workitems', hour(own, employeeId));
    const { id } = await api.data('POST', 'invoices', { clientId, matterId: own, lines: [fee(source)] });
    await act(id, 'issue');
    await api.data('POST', `matters/${own}/close`);
    for (const action of ['unissue', 'void']) await refuse(id, action, {}, 409, 'matter_not_open');
    expect(await act(id, 'pay', { amount: 10 })).toMatchObject({ state: 2 });
    expect(await act(id, 'writeoff', { reason: 'x' })).toMatchObject({ state: 5 });
    expectProblem(
      await api.patch(`matters/${own}`, { clientId: await activeClient(api) }),
      409,
      expect.any(String) as never,
    );
  });

  it('charges costs, by their own tax code, and keeps the rates it charged', async () => {
    const code = mark();
    const zero = await api.create('taxcodes', { code: code.slice(-15), name: 'Zero', category: 'Zero' });
    const reduced = { code: `R${code.slice(-12)}`, name: 'Reduced', category: 'Reduced' };
    const rates = [{ percent: 5, from: '1997-09-01' }];
    const taxCodeId = await api.create('taxcodes', { ...reduced, rates });
    const disbursementCodeId = await api.create('disbursementcodes', {
      ...{ code: `D${code.slice(-12)}`, name: 'Search', taxCodeId: zero },
    });
    const cost = { matterId, disbursementCodeId, kind: 'CostRecovery', quantity: 3, unitAmount: gbp(1.5) };
    const source = await api.create('costrecoveries', { ...cost, entryDate: '2025-06-12T10:00:00Z' });
    const expected = await api.create('costrecoveries', {
      ...{ ...cost, kind: 'Anticipated', entryDate: '2025-06-12T10:00:00Z' },
    });
    const bad = await api.post('invoices', {
      ...{ clientId, matterId, lines: [{ kind: 'CostRecovery', sourceId: expected }] },
    });
    expectProblem(bad, 422, 'not_billable', '/lines/0/sourceId');
    const lines = [
      { kind: 'CostRecovery', sourceId: source },
      { kind: 'Fee', description: 'Fixed', amount: 10.1, taxCodeId },
    ];
    const { id } = await draft(lines);
    const issued = await act(id, 'issue', { issueDate: '2025-06-30' });
    expect(issued).toMatchObject({
      ...{ net: gbp(14.6), tax: gbp(0.51), total: gbp(15.11) },
      lines: [
        { units: 3, rate: gbp(1.5), amount: gbp(4.5), taxCodeId: zero, taxRate: 0 },
        { amount: gbp(10.1), taxCodeId, taxRate: 5 },
      ],
    });
    expect(await api.data('GET', `costrecoveries/${source}`)).toMatchObject({ state: 2, invoiceId: id });
    expectProblem(
      await api.patch(`taxcodes/${taxCodeId}`, { rates: [{ ...rates[0], percent: 6 }] }),
      409,
      'tax_rate_used',
    );
    expectProblem(await api.delete(`taxcodes/${taxCodeId}`), 409, 'in_use');
  });

  it('is exported as LEDES 1998BI once it is issued', async () => {
    const { id } = await draft([fee(await work({ title: 'Advice | on [] terms' }))]);
    expectProblem(await api.get(`invoices/${id}/ledes`), 409, 'invoice_not_issued');
    const { number } = await act(id, 'issue', { issueDate: '2025-06-30' });
    const answer = await api.get(`invoices/${id}/ledes`);
    expect(answer.headers.get('content-type')).toContain('text/plain');
    const [first, header, line, rest] = (answer.body as unknown as string).split('\r\n');
    expect(first).toBe('LEDES98BI V2[]');
    const names = header.slice(0, -2).split('|');
    const values = line.slice(0, -2).split('|');
    const record = Object.fromEntries(names.map((name, index) => [name, values[index]]));
    expect(record).toMatchObject({
      ...{ INVOICE_DATE: '20250630', INVOICE_NUMBER: number, INVOICE_TOTAL: '300.00' },
      ...{ LINE_ITEM_NUMBER_OF_UNITS: '1', LINE_ITEM_UNIT_COST: '250.00', INVOICE_TAX_TOTAL: '50.00' },
      ...{ LINE_ITEM_DESCRIPTION: 'Advice / on () terms', INVOICE_CURRENCY: 'GBP' },
    });
    expect(rest).toBe('');
    expectProblem(await stranger.get(`invoices/${id}/ledes`), 404, 'not_found');
  });

  it('is listed by client, matter, state and day', async () => {
    const own = await activeClient(api);
    const theirs = await matter(api, { clientId: own });
    const make = (fields: object) =>
      api.data('POST', 'invoices', { clientId: own, matterId: theirs, ...fields });
    const lines = [{ kind: 'Fee', amount: 10 }];
    const [open, done] = [await make({}), await make({ lines })];
    const issued = await act(done.id, 'issue', { issueDate: '2025-03-31' });
    const ids = async (filter: object) =>
      (await api.rows('invoices', { clientId: own, ...filter })).map(({ id }: Json) => id);
    expect(await ids({})).toEqual([done.id, open.id]);
    expect(await ids({ matterId: theirs, state: 0 })).toEqual([open.id]);
    expect(await ids({ issueDateFrom: '2025-03-31', issueDateTo: '2025-03-31' })).toEqual([done.id]);
    expect(await ids({ issueDateFrom: '2025-04-01' })).toEqual([]);
    expect(await ids({ keywords: issued.number })).toEqual([done.id]);
    const [row] = await api.rows('invoices', { ids: done.id });
    const { matterNumber, title } = await api.data('GET', `matters/${theirs}`);
    expect(row).toMatchObject({ matterNumber, matterTitle: title, clientSortName: expect.any(String) });
  });
});

async function pending(): Promise<string> {
  const id = await work();
  await api.data('POST', `workitems/${id}/unfinalise`);
  return id;
}

async function elsewhere(): Promise<string> {
  return api.create('workitems', hour(await matter(api, { clientId }), employeeId));
}

async function foreign(): Promise<string> {
  return stranger.create('workitems', hour(await matter(stranger), await employee(stranger)));
}
