import type { Decimal } from 'decimal.js';
import * as fc from 'fast-check';
import { decimal, roundMoney, text } from '#kernel/money';
import { ledes1998bi } from './ledes-1998bi';
import type { LedesInvoice, LedesLine } from './ledes-invoice';

type Parsed = Record<string, string>;

/** Parses a file as a receiver does: splits it into records at their ends, and into fields at the separator. */
function parse(file: string): { version: string; records: Parsed[]; widths: number[] } {
  const [version, header, ...rows] = file
    .split('[]\r\n')
    .slice(0, -1)
    .map((record) => record.split('|'));
  const records = rows.map((row) => Object.fromEntries(header.map((name, index) => [name, row[index]])));
  return { version: version[0], records, widths: [header, ...rows].map((row) => row.length) };
}

const sum = (values: (Decimal | string)[]) =>
  values.reduce<Decimal>((total, value) => total.plus(value), decimal(0));
const cents = (value: number) => text(decimal(value).div(100));

/** Text that survives a round trip unchanged: printable ASCII without the characters that are replaced. */
const safe = (maxLength: number) =>
  fc
    .array(fc.constantFrom(...'abcXYZ019 &-.,:;\'"()[x]/'), { minLength: 1, maxLength })
    .map((letters) =>
      `a${letters.join('').replaceAll('[]', '[x]')}`.slice(0, maxLength).replace(/ +/g, ' ').trim(),
    );
const day = fc
  .integer({ min: 0, max: 364 })
  .map((days) => new Date(Date.UTC(2025, 0, 1 + days)).toISOString().slice(0, 10));
const orNull = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null });

const lines = (words: fc.Arbitrary<string>): fc.Arbitrary<LedesLine> =>
  fc.record({
    kind: fc.constantFrom('Fee', 'CostRecovery', 'Disbursement', 'Discount'),
    day,
    units: fc.integer({ min: 0, max: 1_000_000 }).map((units) => text(decimal(units).div(60))),
    unitCost: orNull(fc.integer({ min: 0, max: 100_000 }).map(cents)),
    amount: fc.integer({ min: -10_000, max: 10_000_000 }).map(cents),
    taxRate: fc.constantFrom('20', '5', '0'),
    description: words,
    taskCode: orNull(safe(20)),
    activityCode: orNull(safe(20)),
    expenseCode: orNull(safe(20)),
    timekeeper: orNull(
      fc
        .record({
          id: safe(20),
          name: safe(30),
          lastName: safe(30),
          firstName: safe(30),
          classification: safe(10),
        })
        .map((fields) => ({ ...fields, employeeId: fields.id })),
    ),
  });

const invoices = (words: fc.Arbitrary<string>): fc.Arbitrary<LedesInvoice> => {
  const address = orNull(
    fc.record(
      { street: words, city: words, region: words, postcode: words, country: words },
      { noNullPrototype: true },
    ),
  );
  return fc
    .record({
      number: safe(50),
      issueDate: day,
      description: orNull(words),
      currency: fc.constantFrom('GBP', 'AUD'),
      firm: fc.record({ id: safe(50), name: words, address, taxScheme: fc.constantFrom('VAT', 'GST') }),
      client: fc.record({
        id: safe(20),
        name: words,
        address,
        taxNumber: orNull(safe(20)),
        matterReference: orNull(safe(20)),
      }),
      matter: fc.record({ number: safe(20), title: words }),
      lines: fc.array(lines(words), { minLength: 1, maxLength: 12 }),
    })
    .map((invoice) => {
      const net = sum(invoice.lines.map(({ amount }) => amount));
      const tax = sum(
        ['20', '5'].map((rate) => {
          const bearing = invoice.lines.filter(({ taxRate }) => taxRate === rate);
          return roundMoney(
            sum(bearing.map(({ amount }) => amount))
              .mul(rate)
              .div(100),
            invoice.currency,
          );
        }),
      );
      return { ...invoice, net: text(net), tax: text(tax), total: text(net.plus(tax)) };
    });
};

/** Text of any characters. `fc.string` with them would first build a map of all characters, which takes seconds. */
const anything = fc
  .array(fc.integer({ min: 0, max: 0x10ffff }), { maxLength: 400 })
  .map((points) => String.fromCodePoint(...points));

describe('a LEDES 1998BI file, read again', () => {
  it('has 52 fields in every record, whatever the texts are', () => {
    fc.assert(
      fc.property(invoices(anything), (invoice) => {
        const file = ledes1998bi(invoice);
        expect(file).toMatch(/^(?:[ -~]*\[\]\r\n)+$/);
        const { version, widths } = parse(file);
        expect(version).toBe('LEDES98BI V2');
        expect(widths).toEqual(Array(invoice.lines.length + 1).fill(52));
      }),
    );
  });

  it('has the values of the invoice', () => {
    fc.assert(
      fc.property(invoices(safe(20)), (invoice) => {
        const { records } = parse(ledes1998bi(invoice));
        const days = invoice.lines.map((line) => line.day).sort();
        records.forEach((record, index) => {
          const line = invoice.lines[index];
          const type = { Fee: 'F', CostRecovery: 'E', Disbursement: 'E', Discount: 'IF', Text: '' }[
            line.kind
          ];
          const person = type === 'F' ? line.timekeeper : null;
          expect(record).toMatchObject({
            INVOICE_NUMBER: invoice.number,
            INVOICE_DATE: invoice.issueDate.replace(/-/g, ''),
            BILLING_START_DATE: days[0].replace(/-/g, ''),
            BILLING_END_DATE: days.at(-1)?.replace(/-/g, ''),
            INVOICE_DESCRIPTION: invoice.description ?? '',
            CLIENT_ID: invoice.client.id,
            CLIENT_NAME: invoice.client.name,
            CLIENT_TAX_ID: invoice.client.taxNumber ?? '',
            CLIENT_MATTER_ID: invoice.client.matterReference ?? '',
            CLIENT_CITY: invoice.client.address?.city ?? '',
            LAW_FIRM_ID: invoice.firm.id,
            LAW_FIRM_NAME: invoice.firm.name,
            LAW_FIRM_ADDRESS_1: invoice.firm.address?.street ?? '',
            LAW_FIRM_MATTER_ID: invoice.matter.number,
            MATTER_NAME: invoice.matter.title,
            LINE_ITEM_NUMBER: String(index + 1),
            'EXP/FEE/INV_ADJ_TYPE': type,
            LINE_ITEM_DATE: line.day.replace(/-/g, ''),
            LINE_ITEM_DESCRIPTION: line.description,
            LINE_ITEM_TASK_CODE: (type === 'F' && line.taskCode) || '',
            LINE_ITEM_ACTIVITY_CODE: (type === 'F' && line.activityCode) || '',
            LINE_ITEM_EXPENSE_CODE: (type === 'E' && line.expenseCode) || '',
            TIMEKEEPER_ID: person?.id ?? '',
            TIMEKEEPER_NAME: person?.name ?? '',
            TIMEKEEPER_LAST_NAME: person?.lastName ?? '',
            TIMEKEEPER_FIRST_NAME: person?.firstName ?? '',
            TIMEKEEPER_CLASSIFICATION: person?.classification ?? '',
            LINE_ITEM_TAX_TYPE: invoice.firm.taxScheme,
            INVOICE_CURRENCY: invoice.currency,
            INVOICE_TAX_CURRENCY: invoice.currency,
          });
        });
      }),
    );
  });

  it('has figures that add up as the format demands', () => {
    fc.assert(
      fc.property(invoices(safe(20)), (invoice) => {
        const { records } = parse(ledes1998bi(invoice));
        for (const [index, record] of records.entries()) {
          for (const [name, value] of Object.entries(record)) {
            if (/TOTAL|UNIT|ADJUSTMENT/.test(name) && value !== '') {
              expect(value).toMatch(/^-?\d+(\.\d{1,4})?$/);
            }
          }
          const line = invoice.lines[index];
          const charged = decimal(record.LINE_ITEM_NUMBER_OF_UNITS || '0')
            .mul(record.LINE_ITEM_UNIT_COST || '0')
            .plus(record.LINE_ITEM_ADJUSTMENT_AMOUNT);
          expect(charged.minus(line.amount).abs().lte('0.00005')).toBe(true);
          expect(text(decimal(line.amount).plus(record.LINE_ITEM_TAX_TOTAL))).toBe(
            text(decimal(record.LINE_ITEM_TOTAL)),
          );
          expect(text(decimal(record.LINE_ITEM_TAX_RATE).mul(100))).toBe(line.taxRate);
          expect(record.INVOICE_TOTAL).toBe(decimal(invoice.total).toFixed(2));
          expect(record.INVOICE_NET_TOTAL).toBe(decimal(invoice.net).toFixed(2));
          expect(record.INVOICE_TAX_TOTAL).toBe(decimal(invoice.tax).toFixed(2));
          expect(record.INVOICE_REPORTED_TAX_TOTAL).toBe(record.INVOICE_TAX_TOTAL);
        }
        const totals = records.map((record) => record.LINE_ITEM_TOTAL);
        const taxes = records.map((record) => record.LINE_ITEM_TAX_TOTAL);
        expect(text(sum(totals))).toBe(invoice.total);
        expect(text(sum(taxes))).toBe(invoice.tax);
        expect(text(sum(totals).minus(sum(taxes)))).toBe(invoice.net);
      }),
    );
  });
});
