import type { ApiClient, Json } from '../support/client';
import { BillingDesk, fee, gbp } from './billing-desk';
import { behavesAsRecords } from './record-behaviour';
import { activeClient, hour, mark, matter } from './records';
import { expectProblem } from './refusals';

let desk: BillingDesk;
let api: ApiClient;
let stranger: ApiClient;
let colleague: ApiClient;
let clientId: string;
let matterId: string;
let employeeId: string;

beforeAll(async () => {
  desk = await BillingDesk.open();
  ({ api, clientId, matterId, employeeId } = desk);
  stranger = await desk.office.tenant();
  colleague = await desk.office.caller(api.tenant, await desk.office.integration(api.tenant));
});
afterAll(() => desk.close());

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
    const [first, second] = [await desk.work({ title: 'Advice' }), await desk.work({ title: 'Letter' })];
    const invoice = await desk.draft([
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
    expect(await desk.item(first)).toMatchObject({ state: 1, invoiceId: invoice.id, remaining: gbp(250) });
    for (const [path, body] of [
      ['unfinalise', undefined],
      ['writeoff', { reason: 'x' }],
      ['reinstate', undefined],
    ] as const)
      expectProblem(await api.post(`workitems/${first}/${path}`, body), 409, 'reserved');
    expectProblem(await api.patch(`workitems/${first}`, { title: 'New' }), 409, 'reserved');
    const again = await api.post('invoices', {
      clientId,
      matterId,
      lines: [fee(await desk.work()), fee(first)],
    });
    expectProblem(again, 409, 'reserved', '/lines/1/sourceId');
  });

  it('adds lines, removes them one by one, and adds everything unbilled', async () => {
    const own = await matter(api, { clientId });
    const record = (fields: object) => api.create('workitems', hour(own, employeeId, fields));
    const early = await record({ entryDate: '2025-06-01T10:00:00Z' });
    const late = await record({ entryDate: '2025-06-20T10:00:00Z' });
    await record({ isBillable: false });
    const { id } = await api.data('POST', 'invoices', { clientId, matterId: own });
    const added = await desk.act(id, 'lines', {
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
    expect(await desk.item(early)).toMatchObject({ invoiceId: null });
    await desk.refuse(id, 'issue', {}, 409, 'negative_total');
    const all = await desk.act(id, 'lines', { unbilledUntil: '2025-06-30' });
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
    expect(await desk.item(early)).toMatchObject({ invoiceId: null });
    expect(await desk.item(late)).toMatchObject({ invoiceId: id });
    const closing = await api.post(`matters/${own}/close`);
    expectProblem(closing, 409, 'unbilled_work');
    expect(closing.body.detail).toBe('The matter has 2 unbilled work items, 1 draft invoice.');
    expect((await api.delete(`invoices/${id}`)).status).toBe(204);
    expect(await desk.item(late)).toMatchObject({ invoiceId: null, state: 1 });
  });

  it('keeps lines that are sent back as shown, and replaces those from the first changed one on', async () => {
    const [first, second] = [await desk.work({ title: 'Advice' }), await desk.work()];
    const { id } = await desk.draft([
      fee(first, { amount: 200 }),
      { kind: 'Text', description: 'Thanks' },
      { kind: 'Discount', description: 'Early', amount: 5 },
      fee(second),
    ]);
    const shown = await api.data('GET', `invoices/${id}`);
    const send = async (lines: Json[]) =>
      (await api.patch(`invoices/${id}`, { lines }, { Prefer: 'return=representation' })).body.data;
    expect((await send(shown.lines)).version).toBe(shown.version);
    const [one, two, three, four] = shown.lines;
    const changed = await send([one, { ...two, description: 'Many thanks' }, three, four]);
    expect(changed.lines).toEqual([
      one,
      { ...two, id: 5, description: 'Many thanks' },
      { ...three, id: 6 },
      { ...four, id: 7 },
    ]);
    expect(changed).toMatchObject({ net: shown.net, total: shown.total });
    expect(await desk.item(second)).toMatchObject({ invoiceId: id });
    for (const lines of [
      [one, four],
      [...changed.lines, one],
    ])
      expectProblem(await api.patch(`invoices/${id}`, { lines }), 422, 'line_not_found');
    const added = await api.post(`invoices/${id}/lines`, { lines: [three] });
    expectProblem(added, 422, 'line_not_found', '/lines/0/id');
    const issued = await desk.act(id, 'issue', { issueDate: '2025-06-30' });
    expect((await send(issued.lines)).version).toBe(issued.version);
    const late = await api.patch(`invoices/${id}`, { lines: issued.lines.slice(1) });
    expectProblem(late, 409, 'invoice_not_draft');
  });

  it('charges costs with their own tax codes, and keeps the rates it charged from being changed', async () => {
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
    const { id } = await desk.draft(lines);
    const issued = await desk.act(id, 'issue', { issueDate: '2025-06-30' });
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
    const { id } = await desk.draft([fee(await desk.work({ title: 'Advice | on [] terms' }))]);
    expectProblem(await api.get(`invoices/${id}/ledes`), 409, 'invoice_not_issued');
    const { number } = await desk.act(id, 'issue', { issueDate: '2025-06-30' });
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
    const issued = await desk.act(done.id, 'issue', { issueDate: '2025-03-31' });
    const ids = async (filter: object) =>
      (await api.rows('invoices', { clientId: own, ...filter })).map(({ id }: Json) => id);
    expect(await ids({})).toEqual([done.id, open.id]);
    expect(await ids({ matterId: theirs, state: 0 })).toEqual([open.id]);
    expect(await ids({ issueDateFrom: '2025-03-31', issueDateTo: '2025-03-31' })).toEqual([done.id]);
    expect(await ids({ issueDateFrom: '2025-04-01' })).toEqual([]);
    // An instant means the day in London, where it was already the first of April.
    expect(await ids({ issueDateFrom: '2025-03-31T23:30:00Z' })).toEqual([]);
    // The least and the greatest DateTime of .NET.
    const always = { issueDateFrom: '0001-01-01T00:00:00Z', issueDateTo: '9999-12-31T23:59:59.9999999Z' };
    expect(await ids(always)).toEqual([done.id]);
    expect(await ids({ keywords: issued.number })).toEqual([done.id]);
    const [row] = await api.rows('invoices', { ids: done.id });
    const { matterNumber, title } = await api.data('GET', `matters/${theirs}`);
    expect(row).toMatchObject({ matterNumber, matterTitle: title, clientSortName: expect.any(String) });
  });
});
