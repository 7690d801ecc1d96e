import { type DayNumber, dayText } from './days';
import { type Exact, exact, money, pennies } from './exact';
import type { Cost } from './firm-costs';
import type { Item } from './firm-items';
import type { Making } from './making';
import { oddTexts } from './odd-texts';
import type { ClientOf } from './people';
import { percentOn } from './reference-rows';

export type InvoiceState = 'Draft' | 'Issued' | 'PartPaid' | 'Paid' | 'Voided' | 'WrittenOff';

export interface InvoiceWanted {
  readonly state: InvoiceState;
  readonly client: ClientOf;
  readonly matterId: string;
  readonly day: DayNumber;
  readonly items: readonly Item[];
  readonly costs: readonly Cost[];
}

const STANDARD = 'TAX-1';
const ZERO = 'TAX-3';

interface Line {
  readonly taxCode: string;
  readonly amount: Exact;
}

/** Adds an invoice with its lines and payments. The state of the charged items matches the invoice's. */
export function writeInvoice(making: Making, wanted: InvoiceWanted): void {
  const { made, currency, writer } = making;
  const { state, client, matterId, day, items } = wanted;
  const number = ++made.invoices;
  const id = `INV-${number}`;
  const lines = writeLines(making, id, number, wanted);
  const isDraft = state === 'Draft';
  const isDated = !isDraft || number % 2 === 0;
  const total = totalOf(making, lines, dayText(day));
  const terms = client.terms ?? 30;
  // Only for clients with these terms: the terms of the others can change without changing the due days of their
  // invoices.
  const isByTerms = (client.terms === null || client.terms === 14) && number % 3 !== 1;
  writer.add('Invoice', {
    ImportId: id,
    ClientId: client.id,
    MatterId: matterId,
    Currency: currency,
    State: state,
    Number: isDraft ? null : `B-${++made.numbers}`,
    IssueDate: isDated ? dayText(day) : null,
    DueDate: isDraft || isByTerms ? null : dayText(day + (number % 5 === 0 ? 7 : terms)),
    Total: number % 6 === 1 ? null : money(total),
  });
  if (isDraft || state === 'Voided') return;
  for (const { employeeId, value } of items) making.figures.add('Billed', matterId, employeeId, value);
  const paid = writePayments(making, id, state, total, day);
  const isOwed = state === 'Issued' || state === 'PartPaid';
  if (isOwed) making.figures.add('Debtors', matterId, null, total.sub(paid));
}

function writeLines(
  making: Making,
  invoice: string,
  number: number,
  { items, costs }: InvoiceWanted,
): Line[] {
  const { writer, made } = making;
  // A line without a code is taxed by the region's standard code, which may be the tenant's own. So no invoice has both
  // such a line and one with the firm's standard code. A cost without a code has the code of its kind.
  const isNamed = number % 2 === 0 || costs.some(({ taxCode }) => taxCode === STANDARD);
  const fees = number % 9 === 8 ? ZERO : STANDARD;
  const codeOf = (code: string) => (code === STANDARD && !isNamed ? null : code);
  const lines: Line[] = [];
  const add = (row: object, taxCode: string, amount: Exact) => {
    const columns = { InvoiceId: invoice, TaxCodeId: codeOf(taxCode), ...row };
    writer.add('InvoiceLine', { ImportId: `L-${++made.lines}`, ...columns });
    lines.push({ taxCode, amount });
  };
  for (const item of items) add(feeLine(item, made.lines), fees, item.value);
  for (const cost of costs) add(costLine(cost, made.lines), cost.taxCode, cost.value);
  const charged = items.reduce((sum, { value }) => sum.add(value), exact(0));
  const off = pennies(charged.mul('0.05'));
  if (number % 5 === 2 && off.gt(0))
    add({ Kind: 'Discount', Description: 'Loyalty', Amount: money(off.neg()) }, fees, off.neg());
  if (number % 4 === 1)
    writer.add('InvoiceLine', {
      ImportId: `L-${++made.lines}`,
      InvoiceId: invoice,
      Kind: 'Text',
      Description: oddTexts[number % oddTexts.length],
    });
  return lines;
}

/** A fee line with all columns, or only some: missing values are those of the work. */
function feeLine({ id, title, units, rate, value }: Item, index: number): object {
  const whole = { Description: title, Units: units.toFixed(4), Rate: rate, Amount: money(value) };
  const said = [whole, { Amount: money(value) }, {}, { ...whole, Amount: null }][index % 4];
  return { Kind: 'Fee', WorkItemId: id, ...said };
}

function costLine({ id, lineKind, description, quantity, unitAmount, value }: Cost, index: number): object {
  const whole = { Description: description, Units: quantity, Rate: unitAmount, Amount: money(value) };
  return { Kind: lineKind, CostRecoveryId: id, ...(index % 3 === 0 ? {} : whole) };
}

/** The tax of a code is calculated on the unrounded sum of its lines, then rounded half-up. */
function totalOf({ taxRates }: Making, lines: readonly Line[], day: string): Exact {
  const nets = new Map<string, Exact>();
  for (const { taxCode, amount } of lines) nets.set(taxCode, (nets.get(taxCode) ?? exact(0)).add(amount));
  let total = exact(0);
  for (const [code, net] of nets)
    total = total.add(net).add(pennies(net.mul(percentOn(taxRates, code, day)).div(100)));
  return total;
}

/** @returns the sum of the payments */
function writePayments(
  making: Making,
  invoice: string,
  state: InvoiceState,
  total: Exact,
  day: DayNumber,
): Exact {
  const { made, random, cutover, writer } = making;
  const part = pennies(total.mul('0.4'));
  const isSplit = state === 'Paid' && made.invoices % 3 === 0;
  const amounts =
    state === 'Paid'
      ? isSplit
        ? [part, total.sub(part)]
        : [total]
      : state === 'PartPaid' || (state === 'WrittenOff' && made.invoices % 2 === 0)
        ? [part]
        : [];
  let sum = exact(0);
  for (const amount of amounts) {
    const number = ++made.payments;
    writer.add('Payment', {
      ImportId: `PAY-${number}`,
      InvoiceId: invoice,
      Amount: money(amount),
      Date: dayText(Math.min(cutover, day + random.whole(0, 40))),
      Reference: number % 4 === 2 ? null : `BACS ${number}\\${invoice}`,
    });
    sum = sum.add(amount);
  }
  return sum;
}
