import type { DisbursementKind } from '../disbursement-codes/disbursement-code.events';
import type { TaxCategory } from '../tax-codes/tax-code.events';

/** The practice area of a department. */
export interface Practice {
  /** The name of its division; null for the tenant's default division. */
  division: string | null;
  code: string;
  /** Share of the firm's matters. */
  share: number;
  /** Prefixes of the codes of its task types (UTBMS). */
  tasks: readonly string[];
  /** `{person}`, `{company}` and `{street}` stand for made-up names. */
  types: readonly { name: string; retentionYears: number; titles: readonly string[] }[];
}

/** The first four belong to a small firm, too. */
export const practices: readonly Practice[] = [
  {
    division: null,
    code: 'GEN',
    share: 0.2,
    tasks: ['C', 'P1', 'P3'],
    types: [
      {
        name: 'Commercial contracts',
        retentionYears: 7,
        titles: ['Supply agreement with {company}', 'Terms of business', 'Licence to {company}'],
      },
      {
        name: 'General advice',
        retentionYears: 7,
        titles: ['Advice on a complaint by {person}', 'Data protection', 'Advice about {company}'],
      },
    ],
  },
  {
    division: 'Property',
    code: 'PROP',
    share: 0.3,
    tasks: ['P'],
    types: [
      {
        name: 'Conveyancing',
        retentionYears: 15,
        titles: [
          'Purchase of {street}',
          'Sale of {street}',
          'Remortgage of {street}',
          'Transfer of {street}',
        ],
      },
      {
        name: 'Commercial leases',
        retentionYears: 15,
        titles: ['Lease of {street} to {company}', 'Rent review, {street}', 'Surrender of {street}'],
      },
    ],
  },
  {
    division: 'Litigation',
    code: 'LIT',
    share: 0.25,
    tasks: ['L'],
    types: [
      {
        name: 'Contract disputes',
        retentionYears: 7,
        titles: ['Claim against {company}', 'Defence to {company}', 'Breach of warranty, {company}'],
      },
      {
        name: 'Debt recovery',
        retentionYears: 7,
        titles: ['Debt of {company}', 'Unpaid invoices, {person}'],
      },
    ],
  },
  {
    division: 'Private client',
    code: 'PRIV',
    share: 0.15,
    tasks: ['C', 'P4'],
    types: [
      {
        name: 'Wills and estates',
        retentionYears: 30,
        titles: ['Estate of {person}', 'Will and powers of attorney', 'Contested will of {person}'],
      },
      { name: 'Trusts', retentionYears: 30, titles: ['The {person} Settlement', 'Trust for grandchildren'] },
    ],
  },
  {
    division: 'Workplace',
    code: 'WORK',
    share: 0.06,
    tasks: ['L1', 'L2', 'C'],
    types: [
      {
        name: 'Employment',
        retentionYears: 7,
        titles: [
          'Dismissal of {person}',
          'Settlement with {person}',
          'Staff handbook',
          'Restructure of a team',
        ],
      },
    ],
  },
  {
    division: 'Restructuring',
    code: 'REST',
    share: 0.04,
    tasks: ['B'],
    types: [
      {
        name: 'Insolvency',
        retentionYears: 7,
        titles: ['Administration of {company}', 'Creditors of {company}', 'Liquidation of {company}'],
      },
    ],
  },
];

export const SMALL_FIRM = 4;

/** A cost beside the work, which the firm pays or charges. Amounts are before tax, for one piece. */
export interface Cost {
  code: string;
  name: string;
  kind: DisbursementKind;
  /** The category of its tax code. */
  category: TaxCategory;
  amounts: readonly number[];
  quantity: readonly [number, number];
  expenseCode: string | null;
  /** Share of the costs that are recorded. */
  share: number;
  /** The trade of the supplier from whom it is bought. */
  supplier?: string;
}

export const costs: readonly Cost[] = [
  {
    code: 'COPY',
    name: 'Photocopying',
    kind: 'CostRecovery',
    category: 'Standard',
    expenseCode: 'E101',
    amounts: [0.15, 0.6],
    quantity: [20, 400],
    share: 0.3,
  },
  {
    code: 'TRAVEL',
    name: 'Travel to a hearing',
    kind: 'CostRecovery',
    category: 'Standard',
    amounts: [0.45],
    quantity: [8, 240],
    share: 0.15,
    expenseCode: 'E109',
  },
  {
    code: 'SEARCH',
    name: 'Title and company searches',
    kind: 'Incurred',
    category: 'Standard',
    amounts: [7, 12.5, 38, 94.6],
    quantity: [1, 3],
    share: 0.25,
    expenseCode: 'E106',
    supplier: 'Searches',
  },
  {
    code: 'COURT',
    name: 'Court fee',
    kind: 'Incurred',
    category: 'OutOfScope',
    expenseCode: 'E112',
    amounts: [80, 205, 455, 1250],
    quantity: [1, 1],
    share: 0.12,
    supplier: 'Courts Agency',
  },
  {
    code: 'COUNSEL',
    name: "Counsel's fee",
    kind: 'Incurred',
    category: 'Standard',
    expenseCode: 'E122',
    amounts: [450, 900, 1750, 3200],
    quantity: [1, 1],
    share: 0.08,
    supplier: 'Chambers',
  },
  {
    code: 'EXPERT',
    name: "Expert's report",
    kind: 'Incurred',
    category: 'Standard',
    expenseCode: 'E119',
    amounts: [600, 1100, 2400],
    quantity: [1, 1],
    share: 0.05,
    supplier: 'Surveyors',
  },
  {
    code: 'EXPECTED',
    name: 'Fee expected',
    kind: 'Anticipated',
    category: 'Standard',
    expenseCode: null,
    amounts: [250, 500, 1000],
    quantity: [1, 1],
    share: 0.05,
  },
];

/** The grades of fee earners, and what an hour of theirs costs in the last year. */
export const grades: readonly {
  grade: string;
  jobTitle: string;
  share: number;
  rate: Record<'uk' | 'au', number>;
}[] = [
  { grade: 'A', jobTitle: 'Partner', share: 0.2, rate: { uk: 310, au: 620 } },
  { grade: 'B', jobTitle: 'Senior associate', share: 0.2, rate: { uk: 255, au: 510 } },
  { grade: 'C', jobTitle: 'Associate', share: 0.3, rate: { uk: 210, au: 420 } },
  { grade: 'D', jobTitle: 'Trainee', share: 0.15, rate: { uk: 135, au: 260 } },
  { grade: 'E', jobTitle: 'Paralegal', share: 0.15, rate: { uk: 115, au: 220 } },
];

export const supportStaff: readonly string[] = ['Secretary', 'Cashier', 'Receptionist', 'Librarian'];
