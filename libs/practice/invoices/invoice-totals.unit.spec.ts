import { Decimal } from 'decimal.js';
import type { Folded } from '#event-store/events';
import type { UnitOfWork } from '#event-store/unit-of-work';
import type { StreamDefinition } from '#kernel/decider';
import type { Day } from '#kernel/zone';
import { createTaxCodes, type TaxCodeState } from '../tax-codes/tax-code.lookup';
import type { InvoiceLine } from './invoice.events';
import { taxationOn } from './invoice.taxation';
import { totalsOf } from './invoice.totals';

type Codes = Map<string, Folded<TaxCodeState>>;

/** The tax codes that a new firm of a region has, by name. */
function codesOf(region: 'uk' | 'au'): Codes {
  const codes: Codes = new Map();
  const create = (definition: StreamDefinition<TaxCodeState, never>, id: string, events: never[]) => {
    const data = events.reduce<TaxCodeState | undefined>(definition.evolve, undefined)!;
    const audit = { createdOn: '2025-01-01T00:00:00.000Z' };
    codes.set(data.code, { id, audit, data } as Folded<TaxCodeState>);
  };
  createTaxCodes({ context: {}, create } as unknown as UnitOfWork, region);
  return codes;
}

const uk = codesOf('uk');
const au = codesOf('au');

/**
 * The totals of an invoice issued on a day: the tax of each code, net, tax and total.
 * @param charges amounts, each after the name of its tax code unless that is the firm's Standard one: `100, RED 30`
 */
function issued(codes: Codes, day: Day, charges: string, currency: string) {
  const lines = charges.split(', ').map((charge, index): InvoiceLine => {
    const [amount, code] = charge.split(' ').reverse();
    return {
      id: index + 1,
      sourceId: null,
      description: null,
      units: null,
      rate: null,
      amount,
      kind: amount.startsWith('-') ? 'Discount' : 'Fee',
      taxCodeId: code ? codes.get(code)!.id : null,
    };
  });
  // A line of text is taxed by nothing.
  lines.push({ ...lines[0], kind: 'Text', id: lines.length + 1, amount: '0', taxCodeId: null });
  const named = new Map([...codes.values()].map((code) => [code.id as string, code]));
  const standardTaxCodes = [...codes.values()].filter(({ data }) => data.category === 'Standard');
  const found = { matterTaxCode: undefined, clientTaxCode: undefined, standardTaxCodes };
  const { taxation } = taxationOn(day, codes === uk ? 'VAT' : 'GST', lines, named, found);
  const { taxes, net, tax, total } = totalsOf(lines, taxation, currency);
  const byCode = taxes.map((one) => `${named.get(one.taxCodeId)!.data.code} ${one.tax}`);
  return { taxes: byCode.sort().join(', '), net, tax, total };
}

describe('VAT of the United Kingdom, in 2025', () => {
  it.each([
    // 100.00 × 20 % = 20
    ['a round amount', '100', 'STD 20', '100', '120'],
    // 10.02 × 20 % = 2.004, three times 6.012: 6.01. Each rounded for itself would be 3 × 2.00 = 6.00.
    ['three lines whose taxes would each round down', '10.02, 10.02, 10.02', 'STD 6.01', '30.06', '36.07'],
    // 10.03 × 20 % = 2.006, three times 6.018: 6.02. Each rounded for itself would be 3 × 2.01 = 6.03.
    ['three lines whose taxes would each round up', '10.03, 10.03, 10.03', 'STD 6.02', '30.09', '36.11'],
    // 20 % of whole pence is a whole number of fifths of a penny: only other rates meet the half. 0.10 × 5 % = 0.005.
    ['half a penny', 'RED 0.1', 'RED 0.01', '0.1', '0.11'],
    // 1.10 × 5 % = 0.055, 2.30 × 5 % = 0.115, 4.50 × 5 % = 0.225: together 0.395: 0.40. Apart 0.06 + 0.12 + 0.23 = 0.41.
    ['lines whose taxes each end on half a penny', 'RED 1.1, RED 2.3, RED 4.5', 'RED 0.4', '7.9', '8.3'],
    // 0.10 × 5 % twice = 0.01 exactly. Apart it would be 0.01 + 0.01 = 0.02.
    ['two lines with a tax of half a penny each', 'RED 0.1, RED 0.1', 'RED 0.01', '0.2', '0.21'],
    // The same code by its name and by default: 30.06 × 20 % as above.
    ['the default code, named by one of the lines', '10.02, STD 10.02, 10.02', 'STD 6.01', '30.06', '36.07'],
    // (250.00 − 37.51) × 20 % = 212.49 × 20 % = 42.498: 42.50.
    ['a discount of the same code', '250, -37.51', 'STD 42.5', '212.49', '254.99'],
    // 250.00 × 20 % = 50.00. −30.10 × 5 % = −1.505: −1.51, as much as a charge of 30.10 would cost. 219.90 + 48.49.
    ['a discount of another code', '250, RED -30.1', 'RED -1.51, STD 50', '219.9', '268.39'],
    // 80.00 × 20 % − 80.00 × 20 % = 0
    ['a discount of the whole amount', '80, -80', 'STD 0', '0', '0'],
    // Tenths that binary numbers do not have: 0.10 + 0.20 + 0.70 = 1.00; × 20 % = 0.20.
    ['tenths, which binary numbers do not hold exactly', '0.1, 0.2, 0.7', 'STD 0.2', '1', '1.2'],
    // 299,999,999,999.97 × 20 % = 59,999,999,999.994: no binary number holds the total to the penny.
    [
      'three lines of the largest amount',
      '99999999999.99, 99999999999.99, 99999999999.99',
      'STD 59999999999.99',
      '299999999999.97',
      '359999999999.96',
    ],
    // 100.01 × 20 % = 20.002: 20.00. 33.33 × 5 % = 1.6665: 1.67. 100.01 + 33.33 + 12.34 + 50 + 7.50 = 203.18; + 21.67.
    [
      'every category on one invoice',
      '100.01, RED 33.33, ZERO 12.34, EXEMPT 50, OUT 7.5',
      'EXEMPT 0, OUT 0, RED 1.67, STD 20, ZERO 0',
      '203.18',
      '224.85',
    ],
  ])('%s', (_, charges, taxes, net, total) => {
    const result = issued(uk, '2025-06-30', charges, 'GBP');
    expect(result).toMatchObject({ taxes, net, total });
    expect(new Decimal(net).add(result.tax).toFixed()).toBe(total);
  });
});

describe('the standard rate of VAT by the day of issue', () => {
  it.each([
    // 99.80 × 17.5 % = 17.465: 17.47
    ['2008-11-30', '17.47', '117.27'],
    // 99.80 × 15 % = 14.97
    ['2008-12-01', '14.97', '114.77'],
    ['2009-12-31', '14.97', '114.77'],
    ['2010-01-01', '17.47', '117.27'],
    ['2011-01-03', '17.47', '117.27'],
    // 99.80 × 20 % = 19.96
    ['2011-01-04', '19.96', '119.76'],
  ])('on %s', (day, tax, total) => {
    expect(issued(uk, day, '99.8', 'GBP')).toMatchObject({ net: '99.8', tax, total });
  });

  it('does not touch the reduced rate', () => {
    // 20.10 × 5 % = 1.005: 1.01
    for (const day of ['2008-11-30', '2008-12-01', '2010-01-01', '2011-01-04'])
      expect(issued(uk, day, 'RED 20.1', 'GBP')).toMatchObject({ tax: '1.01', total: '21.11' });
  });

  it('sums lines of half pennies before it rounds', () => {
    // 0.20 × 17.5 % = 0.035, three times 0.105: 0.11. Each rounded for itself would be 3 × 0.04 = 0.12.
    expect(issued(uk, '2010-06-30', '0.2, 0.2, 0.2', 'GBP')).toMatchObject({ tax: '0.11', total: '0.71' });
    // 0.10 × 15 % = 0.015, three times 0.045: 0.05. Each rounded for itself would be 3 × 0.02 = 0.06.
    expect(issued(uk, '2009-06-30', '0.1, 0.1, 0.1', 'GBP')).toMatchObject({ tax: '0.05', total: '0.35' });
  });

  it('refuses a day before the first rate that is known', () => {
    expect(() => issued(uk, '1991-03-31', 'STD 1', 'GBP')).toThrow('no rate on 1991-03-31');
  });
});

describe('GST of Australia, in 2025', () => {
  it.each([
    // 33.35 × 10 % = 3.335: 3.34
    ['half a cent', '33.35', 'GST 3.34', '33.35', '36.69'],
    // 33.34 × 10 % = 3.334: 3.33
    ['below half a cent', '33.34', 'GST 3.33', '33.34', '36.67'],
    // 0.05 × 10 % = 0.005, three times 0.015: 0.02. Each rounded for itself would be 3 × 0.01 = 0.03.
    ['three lines with a tax of half a cent each', '0.05, 0.05, 0.05', 'GST 0.02', '0.15', '0.17'],
    // (500.00 − 49.95) × 10 % = 450.05 × 10 % = 45.005: 45.01
    ['a discount', '500, -49.95', 'GST 45.01', '450.05', '495.06'],
    // 1,234.56 × 10 % = 123.456: 123.46. 1,234.56 + 15.20 + 8.00 + 40.00 = 1,297.76; + 123.46.
    [
      'every category on one invoice',
      '1234.56, FREE 15.2, INPUT 8, OUT 40',
      'FREE 0, GST 123.46, INPUT 0, OUT 0',
      '1297.76',
      '1421.22',
    ],
  ])('%s', (_, charges, taxes, net, total) => {
    expect(issued(au, '2025-06-30', charges, 'AUD')).toMatchObject({ taxes, net, total });
  });
});

describe('currencies with other minor units', () => {
  it.each([
    // 333 + 334 = 667; × 10 % = 66.7: 67 yen
    ['JPY', '333, 334', '67', '734'],
    // 5 × 10 % = 0.5: 1 yen
    ['JPY', '5', '1', '6'],
    // 4 × 10 % = 0.4: nothing
    ['JPY', '4', '0', '4'],
    // 1.005 × 10 % = 0.1005: 0.101 dinars
    ['KWD', '1.005', '0.101', '1.106'],
  ])('%s %s: the tax is %s and the total %s', (currency, charges, tax, total) => {
    expect(issued(au, '2025-06-30', charges, currency)).toMatchObject({ tax, total });
  });
});

it('lines without a code are taxed by the Standard code that is oldest, whatever its id', () => {
  const [first] = uk.values();
  const imported = {
    ...first,
    // An import gives its records ids that do not sort by time.
    id: `taxcode_${'0'.repeat(12)}5${'0'.repeat(19)}` as const,
    audit: { ...first.audit, createdOn: '2025-02-01T00:00:00.000Z' },
  };
  const found = {
    matterTaxCode: undefined,
    clientTaxCode: undefined,
    standardTaxCodes: [imported, first],
  };
  const fee = { id: 1, kind: 'Fee', sourceId: null, description: null, units: null, rate: null } as const;
  const lines: InvoiceLine[] = [{ ...fee, amount: '100', taxCodeId: null }];
  const { taxation } = taxationOn('2025-06-30', 'VAT', lines, new Map(), found);
  expect(taxation.defaultTaxCodeId).toBe(first.id);
});

describe('a tax code that cannot be charged', () => {
  const line = {
    sourceId: null,
    description: null,
    units: null,
    rate: null,
    amount: '1',
    kind: 'Fee',
  } as const;
  const lines: InvoiceLine[] = [
    { ...line, id: 7, taxCodeId: 'taxcode_a' },
    { ...line, id: 8, taxCodeId: 'taxcode_b' },
  ];
  const found = { matterTaxCode: undefined, clientTaxCode: undefined, standardTaxCodes: [] };
  const code = [...uk.values()][0];

  it.each([
    ['a line that the invoice has', 'taxcode_b', { errors: [], detail: expect.stringContaining('line 7') }],
    [
      'a line of the request',
      'taxcode_a',
      { errors: [expect.objectContaining({ pointer: '/lines/0/taxCodeId' })] },
    ],
  ])('is refused for %s when it no longer exists', (_, known, refusal) => {
    const named = new Map([[known, code]]);
    expect(() => taxationOn('2025-06-30', 'VAT', lines, named, found, lines.slice(1))).toThrow(
      expect.objectContaining({ code: 'taxcode_not_found', ...refusal }),
    );
  });

  it.each([
    ['a line of the request', lines.slice(1), [expect.objectContaining({ pointer: '/lines/0/taxCodeId' })]],
    ['a line that the invoice has', [], []],
  ])('is refused for %s when it has no rate on the day', (_, request, errors) => {
    const of = (category: string) => [...uk.values()].find(({ data }) => data.category === category)!;
    const named = new Map([
      ['taxcode_a', of('Zero')],
      ['taxcode_b', of('Standard')],
    ]);
    expect(() => taxationOn('1950-06-30', 'VAT', lines, named, found, request)).toThrow(
      expect.objectContaining({ code: 'tax_rate_not_found', errors }),
    );
  });
});
