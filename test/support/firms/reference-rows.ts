import type { Region } from './firm';
import type { FirmWriter, Row } from './firm-writer';

interface Rate {
  readonly percent: string;
  readonly from: string;
  readonly to: string | null;
}

/** The dated rates of the codes that charge tax, by the code's ImportId. */
export type TaxRates = Readonly<Record<string, readonly Rate[]>>;

const rate = (percent: string, from: string, to: string | null = null): Rate => ({ percent, from, to });

/** @see https://www.gov.uk/vat-rates, A New Tax System (Goods and Services Tax) Act 1999 (Cth) */
const RATES: Record<Region, TaxRates> = {
  uk: {
    'TAX-1': [
      rate('17.5', '1991-04-01', '2008-11-30'),
      rate('15', '2008-12-01', '2009-12-31'),
      rate('17.5', '2010-01-01', '2011-01-03'),
      rate('20', '2011-01-04'),
    ],
    'TAX-2': [rate('8', '1994-04-01', '1997-08-31'), rate('5', '1997-09-01')],
  },
  // The rate has never changed, but the source has it as two periods.
  au: { 'TAX-1': [rate('10', '2000-07-01', '2009-12-31'), rate('10', '2010-01-01')] },
};

export function taxRatesOf(region: Region): TaxRates {
  return RATES[region];
}

/** The percentage in force on a day; 0 for a code without rates. */
export function percentOn(rates: TaxRates, taxCode: string, day: string): string {
  const found = rates[taxCode]?.find(({ from, to }) => from <= day && (to === null || day <= to));
  if (found) return found.percent;
  if (rates[taxCode]) throw new Error(`${taxCode} has no rate on ${day}`);
  return '0';
}

/** The firm's tax codes. They differ from those that every tenant begins with. */
function taxCodes(region: Region): Row[] {
  const Scheme = region === 'uk' ? 'VAT' : 'GST';
  const standard = { ImportId: 'TAX-1', Code: 'T1', Name: 'Standard rated', Scheme, Category: 'Standard' };
  const reduced = { ImportId: 'TAX-2', Code: 'T5', Name: 'Reduced rated', Scheme, Category: 'Reduced' };
  return [
    standard,
    ...(region === 'uk' ? [reduced] : []),
    { ImportId: 'TAX-3', Code: 'T0', Name: 'Zero rated', Scheme, Category: 'Zero' },
    { ImportId: 'TAX-4', Code: 'T2', Name: 'Exempt', Scheme, Category: 'Exempt' },
    { ImportId: 'TAX-5', Code: 'T9', Name: 'Outside the scope', Scheme, Category: 'OutOfScope' },
  ];
}

const DIVISIONS: readonly Row[] = [
  { ImportId: 'DIV-1', Code: 'LIT', Name: 'Dispute Resolution' },
  { ImportId: 'DIV-2', Code: 'PROP', Name: 'Property' },
  { ImportId: 'DIV-3', Name: 'Wills & Probate' },
];

/**
 * Matter types with their subtypes. Once a child comes before its parent, because the order of a source's keys may be
 * such.
 */
const MATTER_TYPES: readonly Row[] = [
  { ImportId: 'MT-1', Code: 'LIT', Name: 'Litigation' },
  { ImportId: 'MT-10', Code: 'LIT-DEBT', Name: 'Debt recovery', ParentId: 'MT-1' },
  { ImportId: 'MT-11', Code: 'LIT-EMP', Name: 'Employment tribunal', ParentId: 'MT-1' },
  { ImportId: 'MT-0', Name: 'Residential purchase', ParentId: 'MT-2' },
  { ImportId: 'MT-2', Code: 'PROP', Name: 'Conveyancing' },
  { ImportId: 'MT-3', Name: 'Private client' },
];

const TASK_TYPES: readonly Row[] = [
  {
    ImportId: 'TASK-1',
    Code: 'K-ANALYSIS',
    Name: 'Analysis',
    ItemType: 'Timed',
    IsBillable: true,
    PhaseCode: 'L100',
    TaskCode: 'L120',
    ActivityCode: 'A104',
    Narration: 'Analysis and strategy',
  },
  { ImportId: 'TASK-2', Code: 'K-DRAFT', Name: 'Drafting', IsBillable: true, ActivityCode: 'A103' },
  { ImportId: 'TASK-3', Code: 'K-FIXED', Name: 'Fixed fees', ItemType: 'Itemised', IsBillable: true },
  {
    ImportId: 'TASK-4',
    Code: 'K-ADMIN',
    Name: 'Office',
    ItemType: 'Timed',
    IsBillable: false,
    Narration: 'Office',
  },
];

const ROLES: readonly Row[] = [
  { ImportId: 'ROLE-1', Code: 'EXP', Name: 'Expert witness' },
  { ImportId: 'ROLE-2', Name: 'Introducer of work' },
];

/** A kind of cost, with its tax code. */
export interface CostCode {
  readonly id: string;
  readonly kind: 'CostRecovery' | 'Anticipated' | 'Incurred' | null;
  readonly taxCode: string;
}

export const costCodes: readonly CostCode[] = [
  { id: 'DISB-1', kind: 'CostRecovery', taxCode: 'TAX-1' },
  { id: 'DISB-2', kind: 'Incurred', taxCode: 'TAX-5' },
  { id: 'DISB-3', kind: 'Anticipated', taxCode: 'TAX-1' },
  { id: 'DISB-4', kind: null, taxCode: 'TAX-3' },
];

const DISBURSEMENTS: readonly Row[] = [
  {
    ImportId: 'DISB-1',
    Code: 'X-COPY',
    Name: 'Photocopying',
    UnitAmount: '0.1500',
    Description: 'Copies, per page',
  },
  { ImportId: 'DISB-2', Code: 'X-COURT', Name: 'Court fees' },
  { ImportId: 'DISB-3', Code: 'X-COUNSEL', Name: "Counsel's fees", Description: "Counsel's expected fees" },
  { ImportId: 'DISB-4', Code: 'X-TRAVEL', Name: 'Travel', UnitAmount: '0.4500' },
];

/** Writes the tables that have the same few rows in every firm. */
export function writeReferenceRows(writer: FirmWriter, region: Region): void {
  const all = (table: string, rows: readonly Row[]) => {
    for (const row of rows) writer.add(table, row);
  };
  all('Division', DIVISIONS);
  all('MatterType', MATTER_TYPES);
  all('Role', ROLES);
  all('TaskType', TASK_TYPES);
  all('TaxCode', taxCodes(region));
  for (const [code, rates] of Object.entries(RATES[region]))
    for (const [index, { percent, from, to }] of rates.entries())
      writer.add('TaxRate', {
        ImportId: `${code}/${index + 1}`,
        TaxCodeId: code,
        Percent: percent,
        FromDate: from,
        ToDate: to,
      });
  for (const row of DISBURSEMENTS) {
    const { kind, taxCode } = costCodes.find(({ id }) => id === row.ImportId)!;
    writer.add('DisbursementCode', { ...row, Kind: kind, TaxCodeId: taxCode });
  }
}
