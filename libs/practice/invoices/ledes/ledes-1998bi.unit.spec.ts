import { ledes1998bi } from './ledes-1998bi';
import type { LedesInvoice, LedesLine } from './ledes-invoice';
import { grace, line, uk } from './testing/ledes-invoices';

const header =
  'INVOICE_DATE|INVOICE_NUMBER|CLIENT_ID|LAW_FIRM_MATTER_ID|INVOICE_TOTAL|BILLING_START_DATE|BILLING_END_DATE|INVOICE_DESCRIPTION|LINE_ITEM_NUMBER|EXP/FEE/INV_ADJ_TYPE|LINE_ITEM_NUMBER_OF_UNITS|LINE_ITEM_ADJUSTMENT_AMOUNT|LINE_ITEM_TOTAL|LINE_ITEM_DATE|LINE_ITEM_TASK_CODE|LINE_ITEM_EXPENSE_CODE|LINE_ITEM_ACTIVITY_CODE|TIMEKEEPER_ID|LINE_ITEM_DESCRIPTION|LAW_FIRM_ID|LINE_ITEM_UNIT_COST|TIMEKEEPER_NAME|TIMEKEEPER_CLASSIFICATION|CLIENT_MATTER_ID|PO_NUMBER|CLIENT_TAX_ID|MATTER_NAME|INVOICE_TAX_TOTAL|INVOICE_NET_TOTAL|INVOICE_CURRENCY|TIMEKEEPER_LAST_NAME|TIMEKEEPER_FIRST_NAME|ACCOUNT_TYPE|LAW_FIRM_NAME|LAW_FIRM_ADDRESS_1|LAW_FIRM_ADDRESS_2|LAW_FIRM_CITY|LAW_FIRM_STATEorREGION|LAW_FIRM_POSTCODE|LAW_FIRM_COUNTRY|CLIENT_NAME|CLIENT_ADDRESS_1|CLIENT_ADDRESS_2|CLIENT_CITY|CLIENT_STATEorREGION|CLIENT_POSTCODE|CLIENT_COUNTRY|LINE_ITEM_TAX_RATE|LINE_ITEM_TAX_TOTAL|LINE_ITEM_TAX_TYPE|INVOICE_REPORTED_TAX_TOTAL|INVOICE_TAX_CURRENCY';
const file = (records: string[]) =>
  ['LEDES98BI V2', header, ...records].map((record) => `${record}[]\r\n`).join('');

describe('a LEDES 1998BI file', () => {
  it('of a UK invoice: 20 % VAT is 88.62, though its lines rounded one by one come to 88.61', () => {
    expect(ledes1998bi(uk)).toBe(
      file([
        '20250701|INV-0042|C-1001|M-2025-007|986.72|20250602|20250630|Fees to June 2025|1|F|0.2|0.00|50.97|20250602|L120||A107|GH|Letter to the examiner|GB123456789|212.35|Hopper, Grace|PARTNR|AE/77||GB987654321|Patent of an engine|88.62|898.10|GBP|Hopper|Grace|O|Mill & Lane LLP|Mill House|12 Mill Lane|Leeds|West Yorkshire|LS1 4AP|GB|Analytical Engines plc|1 Dorset Street||London||W1U 4EG|GB|0.2|8.50|VAT|88.62|GBP',
        '20250701|INV-0042|C-1001|M-2025-007|986.72|20250602|20250630|Fees to June 2025|2|F|1.3|0.004|331.22|20250603|L120||A103|GH|Drafting claims|GB123456789|212.32|Hopper, Grace|PARTNR|AE/77||GB987654321|Patent of an engine|88.62|898.10|GBP|Hopper|Grace|O|Mill & Lane LLP|Mill House|12 Mill Lane|Leeds|West Yorkshire|LS1 4AP|GB|Analytical Engines plc|1 Dorset Street||London||W1U 4EG|GB|0.2|55.20|VAT|88.62|GBP',
        '20250701|INV-0042|C-1001|M-2025-007|986.72|20250602|20250630|Fees to June 2025|3|F|0.5|-30.00|144.00|20250604|L120||A106|GH|Call, at a reduced price|GB123456789|300.00|Hopper, Grace|PARTNR|AE/77||GB987654321|Patent of an engine|88.62|898.10|GBP|Hopper|Grace|O|Mill & Lane LLP|Mill House|12 Mill Lane|Leeds|West Yorkshire|LS1 4AP|GB|Analytical Engines plc|1 Dorset Street||London||W1U 4EG|GB|0.2|24.00|VAT|88.62|GBP',
        '20250701|INV-0042|C-1001|M-2025-007|986.72|20250602|20250630|Fees to June 2025|4|E|1|0.00|455.00|20250620||E112|||Court fee|GB123456789|455.00|||AE/77||GB987654321|Patent of an engine|88.62|898.10|GBP|||O|Mill & Lane LLP|Mill House|12 Mill Lane|Leeds|West Yorkshire|LS1 4AP|GB|Analytical Engines plc|1 Dorset Street||London||W1U 4EG|GB|0|0.00|VAT|88.62|GBP',
        '20250701|INV-0042|C-1001|M-2025-007|986.72|20250602|20250630|Fees to June 2025|5|E|113|0.00|20.34|20250605||E101|||Copies|GB123456789|0.15|||AE/77||GB987654321|Patent of an engine|88.62|898.10|GBP|||O|Mill & Lane LLP|Mill House|12 Mill Lane|Leeds|West Yorkshire|LS1 4AP|GB|Analytical Engines plc|1 Dorset Street||London||W1U 4EG|GB|0.2|3.39|VAT|88.62|GBP',
        '20250701|INV-0042|C-1001|M-2025-007|986.72|20250602|20250630|Fees to June 2025|6|IF||-12.34|-14.81|20250630|||||Goodwill|GB123456789||||AE/77||GB987654321|Patent of an engine|88.62|898.10|GBP|||O|Mill & Lane LLP|Mill House|12 Mill Lane|Leeds|West Yorkshire|LS1 4AP|GB|Analytical Engines plc|1 Dorset Street||London||W1U 4EG|GB|0.2|-2.47|VAT|88.62|GBP',
      ]),
    );
  });

  it('of an Australian invoice: 10 % GST, a fixed price, a private client with neither tax number nor address', () => {
    const au: LedesInvoice = {
      number: '2025001',
      issueDate: '2025-03-31',
      description: null,
      currency: 'AUD',
      net: '1874.04',
      tax: '177.00',
      total: '2051.04',
      firm: {
        id: '51824753556',
        name: "O'Brien Legal",
        taxScheme: 'GST',
        address: {
          street: 'Level 5, 20 George Street',
          city: 'Sydney',
          region: 'NSW',
          postcode: '2000',
          country: 'Australia',
        },
      },
      client: { id: '1007', name: 'Zoë Łuczak', address: null, taxNumber: null, matterReference: null },
      matter: { number: '1007-1', title: 'Sale of 5 Pitt Street' },
      lines: [
        line({
          kind: 'Fee',
          day: '2025-03-11',
          units: '1.5',
          unitCost: '330',
          amount: '495',
          taxRate: '10',
          description: 'Contract of sale',
          taskCode: 'P300',
          activityCode: 'A103',
          timekeeper: { ...grace, classification: 'ASSOC' },
        }),
        line({ kind: 'Fee', day: '2025-03-10', amount: '1250', taxRate: '10', description: 'Fixed price' }),
        line({
          kind: 'Disbursement',
          day: '2025-03-12',
          unitCost: '104.05',
          amount: '104.05',
          taxRate: '0',
          description: 'Title search',
          expenseCode: 'E106',
        }),
        line({
          kind: 'CostRecovery',
          day: '2025-03-13',
          units: '3',
          unitCost: '8.33',
          amount: '24.99',
          taxRate: '10',
          description: 'Courier',
          expenseCode: 'E107',
        }),
      ],
    };
    expect(ledes1998bi(au)).toBe(
      file([
        "20250331|2025001|1007|1007-1|2051.04|20250310|20250313||1|F|1.5|0.00|544.50|20250311|P300||A103|GH|Contract of sale|51824753556|330.00|Hopper, Grace|ASSOC||||Sale of 5 Pitt Street|177.00|1874.04|AUD|Hopper|Grace|O|O'Brien Legal|Level 5, 20 George Street||Sydney|NSW|2000|AU|Zoe Luczak|||||||0.1|49.50|GST|177.00|AUD",
        "20250331|2025001|1007|1007-1|2051.04|20250310|20250313||2|F|1|0.00|1375.00|20250310|||||Fixed price|51824753556|1250.00||||||Sale of 5 Pitt Street|177.00|1874.04|AUD|||O|O'Brien Legal|Level 5, 20 George Street||Sydney|NSW|2000|AU|Zoe Luczak|||||||0.1|125.00|GST|177.00|AUD",
        "20250331|2025001|1007|1007-1|2051.04|20250310|20250313||3|E|1|0.00|104.05|20250312||E106|||Title search|51824753556|104.05||||||Sale of 5 Pitt Street|177.00|1874.04|AUD|||O|O'Brien Legal|Level 5, 20 George Street||Sydney|NSW|2000|AU|Zoe Luczak|||||||0|0.00|GST|177.00|AUD",
        "20250331|2025001|1007|1007-1|2051.04|20250310|20250313||4|E|3|0.00|27.49|20250313||E107|||Courier|51824753556|8.33||||||Sale of 5 Pitt Street|177.00|1874.04|AUD|||O|O'Brien Legal|Level 5, 20 George Street||Sydney|NSW|2000|AU|Zoe Luczak|||||||0.1|2.50|GST|177.00|AUD",
      ]),
    );
  });

  const client = (fields: Partial<LedesInvoice['client']>): LedesInvoice => ({
    ...uk,
    client: { ...uk.client, ...fields },
  });
  it.each<[string, LedesInvoice]>([
    ['INVOICE_NUMBER', { ...uk, number: 'N'.repeat(51) }],
    ['CLIENT_ID', client({ id: 'C'.repeat(21) })],
    ['LAW_FIRM_MATTER_ID', { ...uk, matter: { ...uk.matter, number: 'M'.repeat(21) } }],
    ['LAW_FIRM_ID', { ...uk, firm: { ...uk.firm, id: 'F'.repeat(51) } }],
    ['CLIENT_MATTER_ID', client({ matterReference: 'R'.repeat(21) })],
    ['CLIENT_TAX_ID', client({ taxNumber: 'T'.repeat(21) })],
    [
      'TIMEKEEPER_ID',
      {
        ...uk,
        lines: [{ ...uk.lines[0], timekeeper: { ...grace, id: 'I'.repeat(21) } }, ...uk.lines.slice(1)],
      },
    ],
    [
      'LINE_ITEM_TASK_CODE',
      { ...uk, lines: [{ ...uk.lines[0], taskCode: 'L'.repeat(21) }, ...uk.lines.slice(1)] },
    ],
  ])('is refused when %s is too long to be written whole', (field, invoice) => {
    expect(() => ledes1998bi(invoice)).toThrow(
      expect.objectContaining({
        fault: 'conflict',
        code: 'ledes_field_too_long',
        detail: expect.stringMatching(`^${field} `),
      }),
    );
  });

  it.each<[string, LedesInvoice]>([
    ['LAW_FIRM_ID', { ...uk, firm: { ...uk.firm, id: ' \n' } }],
    ['CLIENT_ID', client({ id: '' })],
  ])('is refused without %s', (field, invoice) => {
    expect(() => ledes1998bi(invoice)).toThrow(
      expect.objectContaining({ code: 'ledes_field_missing', detail: expect.stringMatching(`^${field} `) }),
    );
  });

  it('is refused when two of its timekeepers have the same initials', () => {
    const work = (timekeeper: LedesLine['timekeeper'], kind: LedesLine['kind'] = 'Fee') =>
      line({ kind, amount: '10', timekeeper });
    const of = (...lines: LedesLine[]) => ({ ...uk, net: '20', tax: '4', total: '24', lines });
    const guy = { ...grace, employeeId: 'employee_2', name: 'Hale, Guy', lastName: 'Hale', firstName: 'Guy' };
    expect(() => ledes1998bi(of(work(grace), work(guy)))).toThrow(
      expect.objectContaining({
        code: 'ledes_timekeepers_alike',
        detail: expect.stringContaining('Hopper, Grace and Hale, Guy would both be "GH"'),
      }),
    );
    expect(ledes1998bi(of(work(grace), work({ ...guy, id: 'GHA' })))).toContain('|GHA|');
    expect(ledes1998bi(of(work(grace), work(grace)))).toContain('|GH|');
    expect(ledes1998bi(of(work(grace), work(guy, 'Disbursement')))).toContain('|GH|');
  });

  it('is refused when nothing on the invoice has an amount', () => {
    const words = { ...uk, net: '0', tax: '0', total: '0', lines: [uk.lines[2]] };
    expect(() => ledes1998bi(words)).toThrow(expect.objectContaining({ code: 'ledes_no_lines' }));
  });

  it.each([{ net: '898.11' }, { total: '986.73' }, { tax: '89.10', total: '987.20' }])(
    'cannot be made from figures that do not add up: %p',
    (wrong) => {
      expect(() => ledes1998bi({ ...uk, ...wrong })).toThrow(/Lines of|A tax of/);
    },
  );
});
