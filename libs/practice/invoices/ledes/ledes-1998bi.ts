import type { Decimal } from 'decimal.js';
import { conflict } from '#kernel/errors';
import { decimal, minorUnits, text } from '#kernel/money';
import type { Day } from '#kernel/zone';
import { type LedesAddress, ledesAddress } from './ledes-address';
import type { LedesInvoice, LedesLine, LedesTimekeeper } from './ledes-invoice';
import { lineTaxes } from './ledes-tax';
import { key, plain, prose } from './ledes-text';

type LineType = 'F' | 'E' | 'IF';

const typeOf: Readonly<Record<LedesLine['kind'], LineType | undefined>> = {
  Fee: 'F',
  CostRecovery: 'E',
  Disbursement: 'E',
  Discount: 'IF',
  Text: undefined,
};

/** The computed values of a line's record in the file. Units and unit cost are empty for an adjustment. */
interface Row {
  invoice: LedesInvoice;
  firm: LedesAddress;
  client: LedesAddress;
  from: Day;
  to: Day;
  line: LedesLine;
  number: number;
  type: LineType;
  units: string;
  unitCost: string;
  adjustment: string;
  tax: Decimal;
}

const columns: Readonly<Record<string, (row: Row) => string>> = {
  INVOICE_DATE: ({ invoice }) => date(invoice.issueDate),
  INVOICE_NUMBER: ({ invoice }) => key('INVOICE_NUMBER', invoice.number, 50),
  CLIENT_ID: ({ invoice }) => key('CLIENT_ID', invoice.client.id, 20),
  LAW_FIRM_MATTER_ID: ({ invoice }) => key('LAW_FIRM_MATTER_ID', invoice.matter.number, 20),
  INVOICE_TOTAL: ({ invoice }) => money(decimal(invoice.total), invoice),
  BILLING_START_DATE: ({ from }) => date(from),
  BILLING_END_DATE: ({ to }) => date(to),
  INVOICE_DESCRIPTION: ({ invoice }) => prose(invoice.description, 15_360),
  LINE_ITEM_NUMBER: ({ number }) => String(number),
  'EXP/FEE/INV_ADJ_TYPE': ({ type }) => type,
  LINE_ITEM_NUMBER_OF_UNITS: ({ units }) => units,
  LINE_ITEM_ADJUSTMENT_AMOUNT: ({ adjustment }) => adjustment,
  LINE_ITEM_TOTAL: ({ invoice, line, tax }) => money(tax.plus(line.amount), invoice),
  LINE_ITEM_DATE: ({ line }) => date(line.day),
  LINE_ITEM_TASK_CODE: ({ line, type }) => (type === 'F' ? code('LINE_ITEM_TASK_CODE', line.taskCode) : ''),
  LINE_ITEM_EXPENSE_CODE: ({ line, type }) =>
    type === 'E' ? code('LINE_ITEM_EXPENSE_CODE', line.expenseCode) : '',
  LINE_ITEM_ACTIVITY_CODE: ({ line, type }) =>
    type === 'F' ? code('LINE_ITEM_ACTIVITY_CODE', line.activityCode) : '',
  TIMEKEEPER_ID: (row) => code('TIMEKEEPER_ID', timekeeper(row)?.id),
  LINE_ITEM_DESCRIPTION: ({ line }) => prose(line.description, 15_360),
  LAW_FIRM_ID: ({ invoice }) => key('LAW_FIRM_ID', invoice.firm.id, 50),
  LINE_ITEM_UNIT_COST: ({ unitCost }) => unitCost,
  TIMEKEEPER_NAME: (row) => prose(timekeeper(row)?.name ?? null, 30),
  TIMEKEEPER_CLASSIFICATION: (row) => prose(timekeeper(row)?.classification ?? null, 10),
  CLIENT_MATTER_ID: ({ invoice }) => code('CLIENT_MATTER_ID', invoice.client.matterReference),
  PO_NUMBER: () => '',
  CLIENT_TAX_ID: ({ invoice }) => code('CLIENT_TAX_ID', invoice.client.taxNumber),
  MATTER_NAME: ({ invoice }) => prose(invoice.matter.title, 255),
  INVOICE_TAX_TOTAL: ({ invoice }) => money(decimal(invoice.tax), invoice),
  INVOICE_NET_TOTAL: ({ invoice }) => money(decimal(invoice.net), invoice),
  INVOICE_CURRENCY: ({ invoice }) => invoice.currency,
  TIMEKEEPER_LAST_NAME: (row) => prose(timekeeper(row)?.lastName ?? null, 30),
  TIMEKEEPER_FIRST_NAME: (row) => prose(timekeeper(row)?.firstName ?? null, 30),
  ACCOUNT_TYPE: () => 'O',
  LAW_FIRM_NAME: ({ invoice }) => prose(invoice.firm.name, 60),
  LAW_FIRM_ADDRESS_1: ({ firm }) => firm.first,
  LAW_FIRM_ADDRESS_2: ({ firm }) => firm.second,
  LAW_FIRM_CITY: ({ firm }) => firm.city,
  LAW_FIRM_STATEorREGION: ({ firm }) => firm.region,
  LAW_FIRM_POSTCODE: ({ firm }) => firm.postcode,
  LAW_FIRM_COUNTRY: ({ firm }) => firm.country,
  CLIENT_NAME: ({ invoice }) => prose(invoice.client.name, 60),
  CLIENT_ADDRESS_1: ({ client }) => client.first,
  CLIENT_ADDRESS_2: ({ client }) => client.second,
  CLIENT_CITY: ({ client }) => client.city,
  CLIENT_STATEorREGION: ({ client }) => client.region,
  CLIENT_POSTCODE: ({ client }) => client.postcode,
  CLIENT_COUNTRY: ({ client }) => client.country,
  LINE_ITEM_TAX_RATE: ({ line }) => text(decimal(line.taxRate).div(100).toDecimalPlaces(10)),
  LINE_ITEM_TAX_TOTAL: ({ invoice, tax }) => money(tax, invoice),
  LINE_ITEM_TAX_TYPE: ({ invoice }) => invoice.firm.taxScheme,
  INVOICE_REPORTED_TAX_TOTAL: ({ invoice }) => money(decimal(invoice.tax), invoice),
  INVOICE_TAX_CURRENCY: ({ invoice }) => invoice.currency,
};

/**
 * The file of one invoice in LEDES 1998BI, the format with taxes of LEDES 1998B: ASCII, CRLF after each `[]`.
 *
 * The format is kept by the LEDES Oversight Committee (@see https://ledes.org/ledes-98bi-format/, revision 1-2020).
 * Where each rule is from:
 * - ASCII, 52 fields, `|` between them: https://ledes.org/ledes-98b-format/ for what it extends, and
 *   https://tdn.totvs.com.br/pages/diffpagesbyversion.action?originalVersion=100&pageId=244432872&revisedVersion=111
 * - the fields' order and lengths, which are required, first line `LEDES98BI V2[]`, CRLF: that revision, as public
 *   implementations of it agree, and
 *   https://success.mitratech.com/Suite/eCounsel_User_Guides/eCounsel_User_Guide/05_Invoices/50_Smart_Invoice/LEDES_1998BI_Format_Schema.
 *   The latter has INVOICE_NUMBER of 20; that revision made it and LAW_FIRM_ID 50, and it is followed, because a
 *   longer number is refused. One program writes `LEDES98BI V5`, after the name of its document; readers look for V2
 * - LINE_ITEM_TOTAL = units × unit cost + adjustment + tax:
 *   https://success.mitratech.com/Collaborati/Frequently_Asked_Questions/LEDES_Files/faq_ledesbiv2_specs; 1998B, and
 *   with it https://www.thomsonreuters.com/en-us/help/legal-tracker/law-firm/invoices/ledes-1998-posting-errors,
 *   leaves out the tax, but then INVOICE_NET_TOTAL, defined as the lines less the tax, would be wrong
 * - LINE_ITEM_TAX_RATE is a fraction between 0 and 1:
 *   https://support.cosmolex.com/knowledge-base/generate-an-ebill-ledes-98bi/; of ten decimals:
 *   https://ledes.org/proposed-standards-requiring-public-comment/. The former also has each line's tax be rate times
 *   net, which rounded need not add up to the invoice's tax; the sum is kept, and a line's tax is at most one minor
 *   unit off
 * - numbers have a point, a leading minus, no separators: Legal Tracker's page above
 * - a discount is a line of type IF whose amount is its adjustment:
 *   https://legaltracker.answerbase.com/2204884/Law-Firm-Vendor-INVOICING-How-does-a-firm-post-a-flat-fee-invoice.
 *   Its units and unit cost stay empty, as https://legaltracker.answerbase.com/2204856/Law-Firm-Vendor-INVOICING-How-can-a-firm-reflect-multiple-taxes-on-an-invoice
 *   says and the format allows; https://counselgo.zendesk.com/hc/en-us/articles/360012254234 writes 0 and 0, and
 *   https://onit.screenstepslive.com/s/documentation/a/1286188-invoice-level-discounts-adjustments 1 and the amount
 * - CLIENT_TAX_ID is required by the format and left empty for a client that has none; Brightflag and
 *   Collaborati do not use it: the Collaborati page above,
 *   https://vendorhelp.brightflag.com/hc/en-us/articles/20560112620701-How-to-Submit-a-LEDES-98BI-File-Without-Tax
 * - countries are ISO 3166-1 codes: the CosmoLex page above
 *
 * The format has no escapes: `plain` says what becomes of signs that it forbids. Texts are cut where their field ends;
 * numbers of records and codes are refused. A line of one price is one unit of it. Lines of text are left out.
 *
 * @throws DomainError 409 `ledes_no_lines`, `ledes_field_missing`, `ledes_field_too_long`, `ledes_timekeepers_alike`
 * @throws Error when the invoice's own figures do not add up
 */
export function ledes1998bi(invoice: LedesInvoice): string {
  const lines = invoice.lines.filter(({ kind }) => typeOf[kind] !== undefined);
  if (lines.length === 0) {
    throw conflict('ledes_no_lines', 'A LEDES file needs at least one line with an amount.');
  }
  assertAddsUp(invoice, lines);
  requireToldApart(lines);
  const days = lines.map(({ day }) => day).sort();
  const taxes = lineTaxes(lines, invoice.tax, invoice.currency);
  const shared = {
    invoice,
    firm: ledesAddress(invoice.firm.address),
    client: ledesAddress(invoice.client.address),
    from: days[0],
    to: days[days.length - 1],
  };
  const records = lines.map((line, index) => {
    const type = typeOf[line.kind]!;
    const row: Row = {
      ...shared,
      line,
      type,
      number: index + 1,
      tax: taxes[index],
      ...charge(line, type, invoice),
    };
    return Object.values(columns).map((write) => write(row));
  });
  return [['LEDES98BI V2'], Object.keys(columns), ...records]
    .map((fields) => `${fields.join('|')}[]\r\n`)
    .join('');
}

/**
 * The parts of a line's amount. Units and unit cost have four decimals in the file, so the adjustment is computed
 * from the rounded values.
 */
function charge(
  { amount, units, unitCost }: LedesLine,
  type: LineType,
  invoice: LedesInvoice,
): Pick<Row, 'units' | 'unitCost' | 'adjustment'> {
  if (type === 'IF') {
    return { units: '', unitCost: '', adjustment: money(decimal(amount), invoice) };
  }
  const count = unitCost === null ? decimal(1) : decimal(units).toDecimalPlaces(4);
  const cost = decimal(unitCost ?? amount).toDecimalPlaces(4);
  return {
    units: text(count),
    unitCost: money(cost, invoice),
    adjustment: money(decimal(amount).minus(count.mul(cost)).toDecimalPlaces(4), invoice),
  };
}

function assertAddsUp({ net, tax, total }: LedesInvoice, lines: LedesLine[]): void {
  const amounts = lines.reduce((sum, { amount }) => sum.plus(amount), decimal(0));
  if (!amounts.eq(net) || !decimal(net).plus(tax).eq(total)) {
    throw new Error(
      `Lines of ${text(amounts)} are not an invoice of ${net} net, ${tax} tax, ${total} in all`,
    );
  }
}

/**
 * Checks that TIMEKEEPER_IDs differ: readers of the file know people, and their agreed rates, by them.
 * @throws DomainError `ledes_timekeepers_alike`
 */
function requireToldApart(lines: LedesLine[]): void {
  const known = new Map<string, LedesTimekeeper>();
  for (const { kind, timekeeper: given } of lines) {
    if (kind !== 'Fee' || !given) continue;
    const id = plain(given.id);
    const other = known.get(id);
    if (other && other.employeeId !== given.employeeId) {
      throw conflict(
        'ledes_timekeepers_alike',
        `A TIMEKEEPER_ID of a LEDES file must belong to one person, but ${other.name} and ${given.name} would both be "${id}": give one of them other initials.`,
      );
    }
    known.set(id, given);
  }
}

/** The timekeeper of a line: only lines of fees have one. */
function timekeeper({ line, type }: Row): LedesLine['timekeeper'] {
  return type === 'F' ? line.timekeeper : null;
}

function code(field: string, given: string | null | undefined): string {
  return key(field, given ?? null, 20, false);
}

function date(day: Day): string {
  return day.replaceAll('-', '');
}

/** Formats an amount with at least the currency's number of decimals. */
function money(value: Decimal, { currency }: LedesInvoice): string {
  return value.toFixed(Math.max(minorUnits(currency), value.decimalPlaces()));
}
