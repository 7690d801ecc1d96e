import { type Answer, ApiClient, type Json } from '../support/client';
import { Office } from './office';
import { activeClient, employee, hour, matter, person } from './records';
import { expectProblem } from './refusals';

let office: Office;
/** The address of the second process that writes. */
let elsewhere: string;

beforeAll(async () => {
  office = await Office.join();
  elsewhere = (await office.start('command')).baseUrl;
});
afterAll(() => office.close());

const ITEMS = 10;
const each = <T>(count: number, make: (index: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => make(index)));
const made = (answers: Answer[]) => answers.filter(({ status }) => status < 300);
const fees = (ids: string[]) => ids.map((sourceId) => ({ kind: 'Fee', sourceId }));

/** A new firm with a matter and finalised items on it, and a client for each of the two processes. */
async function firm() {
  const api = await office.tenant();
  const other = new ApiClient(api.tenant, api.token, { writes: elsewhere, reads: office.app.baseUrl });
  const clientId = await activeClient(api);
  const [matterId, employeeId] = [await matter(api, { clientId }), await employee(api)];
  const items = await each(ITEMS, () => api.create('workitems', hour(matterId, employeeId)));
  const both = [api, other];
  return { api, clientId, matterId, items, both, at: (index: number) => both[index % 2] };
}
type Firm = Awaited<ReturnType<typeof firm>>;

/** What reads show once they include everything that both processes have written. */
async function settled({ api, matterId, items }: Firm) {
  await person(api);
  const invoices = await each(1, () => api.rows('invoices', { matterId, pageSize: 200 }));
  const rows = await api.rows('workitems', { matterId, pageSize: 200 });
  const byId = new Map(rows.map((row) => [row.id, row]));
  return { invoices: invoices.flat(), items: items.map((id) => byId.get(id)) };
}

/** Finalised + WrittenUp − Billed − WrittenOff equals what is unbilled, in money and in units. */
async function expectBalance(one: Firm): Promise<void> {
  const { items } = await settled(one);
  const measures = ['Finalised', 'WrittenUp', 'Billed', 'WrittenOff'].flatMap((name) => [
    name,
    `${name}Units`,
  ]);
  const { body } = await one.api.graphql(
    `query GetRows($criteria: FeeAnalysisFactCriteriaInput, $slice: AggregationSliceSpecInput) {
      fee_analysis(criteria: $criteria, slice: $slice) }`,
    {
      criteria: { period: { min: '2000-01-01', max: '2100-12-31' } },
      slice: {
        cols: [
          { colId: 'feeEarnerSortName' },
          ...measures.map((name) => ({ colId: `workItem${name}`, aggFunc: 'sum' })),
        ],
        rowGroups: [{ colId: 'feeEarnerSortName' }],
      },
    },
  );
  const [row] = body.data.fee_analysis;
  const flow = (unit: '' | 'Units') =>
    row[`workItemFinalised${unit}`] +
    row[`workItemWrittenUp${unit}`] -
    row[`workItemBilled${unit}`] -
    row[`workItemWrittenOff${unit}`];
  const unbilled = items.filter(({ state }) => state !== 0);
  expect([flow(''), flow('Units')]).toEqual([
    unbilled.reduce((sum, { remaining }) => sum + remaining.Amount, 0),
    unbilled.reduce((sum, { remainingUnits }) => sum + remainingUnits, 0),
  ]);
}

describe('items that many simultaneous invoices need', () => {
  it('forty invoices over the same ten items: one gets them all, the others are refused', async () => {
    const leeds = await firm();
    const { clientId, matterId } = leeds;
    const body = { clientId, matterId, lines: fees(leeds.items) };
    const answers = await each(40, (index) => leeds.at(index).post('invoices', body));
    expect(made(answers)).toHaveLength(1);
    for (const answer of answers) if (answer.status !== 201) expectProblem(answer, 409, 'reserved');
    const { invoices, items } = await settled(leeds);
    expect(invoices).toHaveLength(1);
    expect(invoices[0]).toMatchObject({ state: 0, net: { Amount: 2500 }, version: 3 });
    expect(items.map(({ invoiceId, version }) => ({ invoiceId, version }))).toEqual(
      items.map(() => ({ invoiceId: invoices[0].id, version: 3 })),
    );
    expect(await eventsOf('InvoiceCreated', leeds.api.tenant)).toBe(1);
    expect(await eventsOf('WorkItemReserved', leeds.api.tenant)).toBe(ITEMS);
  });

  it('forty invoices over three of them each: no item is on two, and only taken items are refused', async () => {
    const york = await firm();
    const { clientId, matterId } = york;
    const wanted = Array.from({ length: 40 }, (_, index) =>
      [0, 1 + (index % 3), 4 + (index % 5)].map((step) => york.items[(index + step) % ITEMS]),
    );
    const answers = await each(40, (index) =>
      york.at(index).post('invoices', { clientId, matterId, lines: fees(wanted[index]) }),
    );
    const { invoices, items } = await settled(york);
    expect(invoices.map(({ id }) => id).sort()).toEqual(
      made(answers)
        .map(({ body }) => body.data.id)
        .sort(),
    );
    const holders = new Map<string, string>();
    for (const { id, lines } of invoices) {
      for (const { sourceId } of lines) {
        expect(holders.has(sourceId)).toBe(false);
        holders.set(sourceId, id);
      }
    }
    for (const { id, invoiceId } of items) expect(invoiceId).toBe(holders.get(id) ?? null);
    for (const [index, answer] of answers.entries()) {
      if (answer.status === 201) continue;
      expectProblem(answer, 409, 'reserved');
      expect(wanted[index].some((id) => holders.has(id))).toBe(true);
    }
    expect(await eventsOf('WorkItemReserved', york.api.tenant)).toBe(holders.size);
  });

  it.each([1, 2, 3, 4])(
    'what is unbilled leaves out what changes meanwhile, and is not refused (%d)',
    async () => {
      const deal = await firm();
      const { clientId, matterId, items } = deal;
      const drafts = await each(3, () => deal.api.create('invoices', { clientId, matterId }));
      const bill = (index: number) =>
        deal.at(index).post(`invoices/${drafts[index]}/lines`, { unbilledUntil: '2030-01-01' });
      const change = (index: number) =>
        index % 2
          ? deal.at(index).post(`workitems/${items[index]}/writeoff`, { reason: 'x' })
          : deal.at(index).post(`workitems/${items[index]}/unfinalise`);
      const [billed] = await Promise.all([each(3, bill), each(ITEMS, change)]);
      expect(billed.map(({ status, body }) => [status, body.code])).toEqual(
        drafts.map(() => [200, undefined]),
      );
      const { invoices } = await settled(deal);
      const charged = invoices.flatMap(({ lines }) => lines.map(({ sourceId }: Json) => sourceId));
      expect(new Set(charged).size).toBe(charged.length);
      await expectBalance(deal);
    },
  );
});

describe('invoice numbers', () => {
  it('of 200 drafts that two processes issue at once have no gaps and no duplicates', async () => {
    const hull = await firm();
    const { clientId, matterId } = hull;
    const lines = [{ kind: 'Fee', amount: 100 }];
    const drafts = await each(200, (index) =>
      hull.at(index).create('invoices', { clientId, matterId, lines }),
    );
    const answers = await each(200, (index) => hull.at(index).post(`invoices/${drafts[index]}/issue`, {}));
    expect(answers.filter(({ status }) => status !== 200).map(({ body }) => body)).toEqual([]);
    const numbers = answers.map(({ body }) => Number(body.data.number)).sort((a, b) => a - b);
    expect(numbers).toEqual(numbers.map((_, index) => index + 1));
    const { invoices } = await settled(hull);
    expect(invoices.map(({ number }) => Number(number)).sort((a, b) => a - b)).toEqual(numbers);
  });

  it('are not used up by an issue that is refused', async () => {
    const bath = await firm();
    const { clientId, matterId, api } = bath;
    const body = (amount: number) => ({
      clientId,
      matterId,
      lines: [{ kind: amount < 0 ? 'Discount' : 'Fee', amount: Math.abs(amount) }],
    });
    const drafts = await each(20, (index) => api.create('invoices', body(index % 2 ? 10 : -10)));
    const answers = await each(20, (index) =>
      bath.at(index >> 1).post(`invoices/${drafts[index]}/issue`, {}),
    );
    for (const [index, answer] of answers.entries())
      if (index % 2 === 0) expectProblem(answer, 409, 'negative_total');
    const numbers = made(answers).map(({ body: answer }) => Number(answer.data.number));
    expect(numbers.sort((a, b) => a - b)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  });
});

describe('everything that can happen to one invoice and its items, at once', () => {
  const actions: [string, object][] = [
    ['void', {}],
    ['unissue', {}],
    ['issue', {}],
    ['pay', { amount: 3000 }],
    ['pay', { amount: 1 }],
    ['writeoff', { reason: 'Insolvent' }],
    ['payments/1/reverse', {}],
  ];
  const refusals = [
    'payment_stands',
    'invoice_not_issued',
    'invoice_not_draft',
    'invoice_not_owed',
    'overpayment',
    'payment_not_found',
    'payment_reversed',
    'reserved',
    'not_finalised',
    'concurrent_update',
  ];

  it.each([1, 2, 3, 4, 5, 6])(
    'ends in a state that invoice, items and facts agree on (%d)',
    async (round) => {
      const one = await firm();
      const { api, clientId, matterId } = one;
      const id = await api.create('invoices', { clientId, matterId, lines: fees(one.items) });
      await api.data('POST', `invoices/${id}/issue`, {});
      const onInvoice = each(actions.length * 2, (index) => {
        const [action, body] = actions[(index + round) % actions.length];
        return one.at(index).post(`invoices/${id}/${action}`, body);
      });
      const onItems = each(6, (index) =>
        index % 2
          ? one.at(index).post(`workitems/${one.items[index]}/unfinalise`)
          : one.at(index).post(`workitems/${one.items[index]}/writeoff`, { reason: 'Goodwill', amount: 50 }),
      );
      const answers = [...(await onInvoice), ...(await onItems)];
      for (const answer of answers) {
        if (answer.status < 300) continue;
        expect(refusals).toContain(answer.body.code);
        expectProblem(answer, answer.status, answer.body.code);
      }
      const { invoices, items } = await settled(one);
      const [invoice] = invoices;
      const standing = invoice.payments.filter(({ reversedDate }: Json) => reversedDate === null);
      const paid = standing.reduce((sum: number, { amount }: Json) => sum + amount.Amount, 0);
      expect({ paid: invoice.paid.Amount, number: invoice.number }).toEqual({ paid, number: '1' });
      const owed = { Draft: 0, Voided: 0, Paid: 0, WrittenOff: 0, Issued: 3000, PartPaid: 3000 - paid };
      expect(invoice.balance.Amount).toBe(owed[invoice.stateName as keyof typeof owed]);
      for (const { stateName, invoiceId, remaining, total } of items) {
        if (invoice.stateName === 'Draft')
          expect({ stateName, invoiceId }).toEqual({ stateName: 'Finalised', invoiceId: id });
        else if (invoice.stateName === 'Voided')
          expect([null, 'Pending', 'Finalised']).toEqual(expect.arrayContaining([invoiceId, stateName]));
        else
          expect({ stateName, invoiceId, remaining: remaining.Amount }).toEqual({
            stateName: 'Billed',
            invoiceId: id,
            remaining: 0,
          });
        expect(total.Amount).toBe(250);
      }
      await expectBalance(one);
    },
  );
});

async function eventsOf(type: string, alias: string): Promise<number> {
  const [{ count }] = await office.sql<{ count: number }>(
    `select count(*)::int from event_store.events e join platform.tenants t on t.id = e.tenant_id
     where e.type = '${type}' and t.alias = '${alias}'`,
  );
  return count;
}
