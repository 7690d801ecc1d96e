import type { ApiClient } from '../support/client';
import { BillingDesk, fee, gbp } from './billing-desk';
import { activeClient, hour, matter } from './records';
import { expectProblem } from './refusals';

let desk: BillingDesk;
let api: ApiClient;
let clientId: string;
let employeeId: string;

beforeAll(async () => {
  desk = await BillingDesk.open();
  ({ api, clientId, employeeId } = desk);
});
afterAll(() => desk.close());

describe('an invoice', () => {
  it('is issued, unissued, issued again under its number, and voided; its items follow', async () => {
    const [exact, below, above] = [await desk.work(), await desk.work(), await desk.work()];
    const { id } = await desk.draft([fee(exact), fee(below, { amount: 100 }), fee(above, { amount: 300 })]);
    const issued = await desk.act(id, 'issue', { issueDate: '2025-06-30' });
    expect(issued).toMatchObject({
      state: 1,
      stateName: 'Issued',
      issueDate: '2025-06-30',
      dueDate: '2025-07-30',
      number: expect.stringMatching(/^\d+$/),
      net: gbp(650),
      total: gbp(780),
      balance: gbp(780),
    });
    for (const one of [exact, below, above])
      expect(await desk.item(one)).toMatchObject({
        state: 2,
        invoiceId: id,
        remaining: gbp(0),
        remainingUnits: 0,
      });
    expectProblem(await api.patch(`workitems/${exact}`, { title: 'New' }), 409, 'finalised');
    await desk.refuse(id, 'issue', {}, 409, 'invoice_not_draft');
    await desk.refuse(id, 'lines', { lines: [] }, 409, 'invoice_not_draft');
    expectProblem(await api.patch(`invoices/${id}`, { dueDate: '2026-01-01' }), 409, 'invoice_not_draft');
    expectProblem(await api.delete(`invoices/${id}`), 409, 'invoice_not_draft');
    await desk.refuse(id, 'unissue', { date: '2025-06-29' }, 422, 'before_issue');
    const back = await desk.act(id, 'unissue', { date: '2025-07-01' });
    expect(back).toMatchObject({ state: 0, number: issued.number, balance: gbp(0) });
    expect(await desk.item(below)).toMatchObject({ state: 1, invoiceId: id, remaining: gbp(250) });
    expectProblem(await api.delete(`invoices/${id}`), 409, 'invoice_numbered');
    const again = await desk.act(id, 'issue', { issueDate: '2025-07-02' });
    expect(again).toMatchObject({ number: issued.number, issueDate: '2025-07-02', dueDate: '2025-08-01' });
    const voided = await desk.act(id, 'void', { date: '2025-07-03' });
    expect(voided).toMatchObject({ state: 4, stateName: 'Voided', number: issued.number, balance: gbp(0) });
    expect(await desk.item(above)).toMatchObject({ state: 1, invoiceId: null, remaining: gbp(250) });
    for (const action of ['issue', 'unissue', 'void', 'pay', 'writeoff'])
      expect((await api.post(`invoices/${id}/${action}`, { amount: 1, reason: 'x' })).status).not.toBe(200);
    const next = await desk.draft([fee(exact)]);
    const { number } = await desk.act(next.id, 'issue');
    expect(Number(number)).toBe(Number(issued.number) + 1);
    await desk.act(next.id, 'unissue');
    // The planned issue day of a draft did not happen, so it limits nothing.
    await api.patch(`invoices/${next.id}`, { issueDate: '2199-01-01' });
    expect(await desk.act(next.id, 'void', { date: '2025-07-03' })).toMatchObject({ state: 4 });
    expect(await desk.item(exact)).toMatchObject({ state: 1, invoiceId: null });
  });

  it('keeps its due date when it is issued again on the same day, otherwise gets a new one', async () => {
    const { id } = await desk.draft([fee(await desk.work())]);
    await desk.act(id, 'issue', { issueDate: '2025-06-30' });
    await desk.act(id, 'unissue');
    await api.patch(`invoices/${id}`, { dueDate: '2025-12-31' });
    const same = await desk.act(id, 'issue', { issueDate: '2025-06-30' });
    expect(same).toMatchObject({ issueDate: '2025-06-30', dueDate: '2025-12-31' });
    await desk.act(id, 'unissue');
    const other = await desk.act(id, 'issue', { issueDate: '2025-07-01' });
    expect(other).toMatchObject({ issueDate: '2025-07-01', dueDate: '2025-07-31' });
    await desk.act(id, 'unissue');
    await api.patch(`invoices/${id}`, { issueDate: null, dueDate: '2025-12-31' });
    expect(await desk.act(id, 'issue', { issueDate: '2025-07-02' })).toMatchObject({ dueDate: '2025-12-31' });
  });

  it('is voided as a draft without an issue date, on the day that is given or today', async () => {
    for (const [body, day] of [
      [{ date: '2025-07-03' }, '2025-07-03'],
      [{}, expect.stringMatching(/^\d{4}-\d{2}-\d{2}$/)],
    ] as const) {
      const { id } = await desk.draft([fee(await desk.work())]);
      await desk.act(id, 'issue', { issueDate: '2025-06-30' });
      await desk.act(id, 'unissue');
      await api.patch(`invoices/${id}`, { issueDate: null });
      expect(await desk.act(id, 'void', body)).toMatchObject({ state: 4, issueDate: null });
      const { rows } = await api.data('GET', `invoices/${id}/history`);
      expect(rows.at(-1)).toMatchObject({ type: 'InvoiceVoided', changes: { day } });
    }
  });

  it('is paid in parts, never too much, and a payment can be reversed', async () => {
    const { id } = await desk.draft([fee(await desk.work())]);
    await desk.refuse(id, 'pay', { amount: 1 }, 409, 'invoice_not_owed');
    await desk.act(id, 'issue');
    await desk.refuse(id, 'pay', { amount: gbp(300.01) }, 422, 'overpayment');
    await desk.refuse(id, 'pay', { amount: 0 }, 422, 'validation_failed');
    await desk.refuse(id, 'pay', { amount: 0.001 }, 422, 'too_precise');
    await desk.refuse(id, 'pay', { amount: { Amount: 1, Currency: 'EUR' } }, 422, 'currency_mismatch');
    const part = await desk.act(id, 'pay', { amount: gbp(100), date: '2025-07-01', reference: 'BACS' });
    expect(part).toMatchObject({
      state: 2,
      stateName: 'PartPaid',
      paid: gbp(100),
      balance: gbp(200),
      payments: [{ id: 1, date: '2025-07-01', amount: gbp(100), reference: 'BACS', reversedDate: null }],
    });
    for (const action of ['unissue', 'void']) await desk.refuse(id, action, {}, 409, 'payment_stands');
    expect(await desk.act(id, 'pay', { amount: 200 })).toMatchObject({
      state: 3,
      stateName: 'Paid',
      balance: gbp(0),
    });
    await desk.refuse(id, 'pay', { amount: 1 }, 409, 'invoice_not_owed');
    await desk.refuse(id, 'writeoff', { reason: 'x' }, 409, 'invoice_not_owed');
    await desk.refuse(id, 'payments/1/reverse', { date: '2025-06-30' }, 422, 'before_payment');
    const back = await desk.act(id, 'payments/1/reverse', { date: '2025-07-02', reason: 'Bounced' });
    expect(back).toMatchObject({
      state: 2,
      paid: gbp(200),
      balance: gbp(100),
      payments: [
        { id: 1, reversedDate: '2025-07-02', reversalReason: 'Bounced' },
        { id: 2, reversedDate: null },
      ],
    });
    await desk.refuse(id, 'payments/1/reverse', {}, 409, 'payment_reversed');
    await desk.refuse(id, 'payments/3/reverse', {}, 404, 'payment_not_found');
    await desk.refuse(id, 'payments/x/reverse', {}, 404, 'not_found');
    expect(await desk.act(id, 'payments/2/reverse')).toMatchObject({ state: 1, balance: gbp(300) });
    expect(await desk.act(id, 'void')).toMatchObject({ state: 4 });
  });

  it('is written off as bad debt, which leaves its items billed', async () => {
    const source = await desk.work();
    const { id } = await desk.draft([fee(source)]);
    await desk.act(id, 'issue');
    await desk.act(id, 'pay', { amount: 50 });
    await desk.refuse(id, 'writeoff', {}, 422, 'validation_failed');
    await desk.refuse(id, 'writeoff', { reason: 'Insolvent', date: '2020-01-01' }, 422, 'before_issue');
    const written = await desk.act(id, 'writeoff', { reason: 'Insolvent' });
    expect(written).toMatchObject({
      state: 5,
      stateName: 'WrittenOff',
      balance: gbp(0),
      writtenOff: gbp(250),
    });
    expect(await desk.item(source)).toMatchObject({ state: 2 });
    await desk.refuse(id, 'payments/1/reverse', {}, 409, 'invoice_not_owed');
    await desk.refuse(id, 'void', {}, 409, 'invoice_not_issued');
  });

  it('returns nothing to a closed matter, but can still be paid and written off', async () => {
    const own = await matter(api, { clientId });
    const source = await api.create('workitems', hour(own, employeeId));
    const { id } = await api.data('POST', 'invoices', { clientId, matterId: own, lines: [fee(source)] });
    await desk.act(id, 'issue');
    await api.data('POST', `matters/${own}/close`);
    for (const action of ['unissue', 'void']) await desk.refuse(id, action, {}, 409, 'matter_not_open');
    expect(await desk.act(id, 'pay', { amount: 10 })).toMatchObject({ state: 2 });
    expect(await desk.act(id, 'writeoff', { reason: 'x' })).toMatchObject({ state: 5 });
    expectProblem(
      await api.patch(`matters/${own}`, { clientId: await activeClient(api) }),
      409,
      expect.any(String) as never,
    );
  });

  it('is paid when it is issued if its total is zero, and can be unissued', async () => {
    const source = await desk.work();
    const { id } = await desk.draft([fee(source, { amount: 0 })]);
    expect(await desk.act(id, 'issue')).toMatchObject({
      state: 3,
      stateName: 'Paid',
      total: gbp(0),
      balance: gbp(0),
    });
    expect(await desk.item(source)).toMatchObject({ state: 2, invoiceId: id });
    await desk.refuse(id, 'pay', { amount: 1 }, 409, 'invoice_not_owed');
    expect(await desk.act(id, 'unissue')).toMatchObject({ state: 0 });
    await desk.act(id, 'issue');
    expect(await desk.act(id, 'void')).toMatchObject({ state: 4 });
    expect(await desk.item(source)).toMatchObject({ state: 1, invoiceId: null, remaining: gbp(250) });
  });
});
