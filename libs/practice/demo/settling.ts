import { decimal, roundMoney, text } from '#kernel/money';
import type { InvoiceState } from '../invoices/invoice';
import type { InvoiceEvent } from '../invoices/invoice.events';
import type { Calendar } from './calendar';
import type { Life } from './life';
import type { Random } from './random';

type InvoiceLife = Life<InvoiceState, InvoiceEvent>;

/** The ways in which clients pay: at once, in two parts, with a payment that bounces, never, or not yet. */
const habits = [
  [0.8, 'whole'],
  [0.1, 'parts'],
  [0.03, 'bounced'],
  [0.025, 'never'],
  [0.045, 'late'],
] as const;

/** What happens to an issued invoice until the last day. */
export function settle(invoice: InvoiceLife, issued: number, random: Random, calendar: Calendar): void {
  if (invoice.data.balance === '0') return;
  const { balance, currency } = invoice.data;
  let day = issued + Math.round(random.skewed(18, 0.5));
  const next = (from: number, to: number) => {
    day += random.whole(from, to);
  };
  const pay = (amount: string) =>
    live(invoice, payment(invoice, amount, day, random, calendar), day, calendar);
  const half = text(roundMoney(decimal(balance).mul(random.between(0.3, 0.7)), currency));
  // Nobody pays a small sum in parts.
  switch (decimal(balance).lt(10) ? 'whole' : random.weighted(habits)) {
    case 'whole':
      pay(balance);
      break;
    case 'parts':
      pay(half);
      next(10, 30);
      pay(invoice.data.balance);
      break;
    case 'bounced': {
      pay(balance);
      next(2, 5);
      const reversal = { paymentId: 1, day: calendar.days[day], reason: 'Returned by the bank' };
      live(invoice, { type: 'InvoicePaymentReversed', data: reversal }, day, calendar);
      next(5, 20);
      pay(balance);
      break;
    }
    case 'never': {
      if (random.chance(0.4)) pay(half);
      next(80, 140);
      const { balance: amount } = invoice.data;
      const bad = { day: calendar.days[day], amount, reason: 'The client cannot pay' };
      live(invoice, { type: 'InvoiceWrittenOff', data: bad }, day, calendar);
      break;
    }
    case 'late':
      break;
  }
}

/** Adds the event, unless it would come after the last day. */
function live(invoice: InvoiceLife, event: InvoiceEvent, day: number, calendar: Calendar): void {
  if (day <= calendar.last) invoice.live([event]);
}

function payment(
  { data }: InvoiceLife,
  amount: string,
  day: number,
  random: Random,
  calendar: Calendar,
): InvoiceEvent {
  const reference = `BACS ${random.whole(100_000, 999_999)}`;
  const one = { id: data.payments.length + 1, day: calendar.days[day], amount, reference };
  return { type: amount === data.balance ? 'InvoicePaid' : 'InvoicePartPaid', data: { payment: one } };
}
