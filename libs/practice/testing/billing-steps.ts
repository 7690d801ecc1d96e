import * as fc from 'fast-check';

/** How a step states a quantity: not at all, by units, by amount, by rate, or by two of these. */
export type Way = 'whole' | 'units' | 'amount' | 'rate' | 'amount and units' | 'rate and units';

export interface LineDraw {
  kind: 'Fee' | 'CostRecovery' | 'Disbursement' | 'Discount' | 'Text' | 'suited';
  /** The index of the record that the line charges, among the suitable ones or among all; null for no source. */
  target: number | null;
  suited: boolean;
  way: Way;
  /** The share of the remaining value, in thousandths. */
  share: number;
  /** Whether to add a tenth of a penny. */
  crumb: boolean;
  taxCode: string | null;
}

export const billingActions = [
  'recordWork',
  'recordCost',
  'changeWork',
  'changeCost',
  'finalise',
  'finaliseMany',
  'unfinalise',
  'deleteItem',
  'writeOff',
  'reinstate',
  'closeMatter',
  'reopenMatter',
  'createInvoice',
  'addLines',
  'removeLine',
  'changeInvoice',
  'deleteInvoice',
  'issue',
  'unissue',
  'void',
  'pay',
  'reverse',
  'writeOffInvoice',
] as const;

const often: Record<string, number> = {
  recordWork: 2,
  writeOff: 5,
  createInvoice: 6,
  addLines: 3,
  changeInvoice: 3,
  changeWork: 3,
  changeCost: 4,
  issue: 14,
  unissue: 7,
  void: 5,
  pay: 8,
  reverse: 13,
  finalise: 2,
  deleteInvoice: 2,
  unfinalise: 4,
  deleteItem: 2,
  removeLine: 4,
  closeMatter: 3,
  writeOffInvoice: 3,
  reinstate: 2,
};

/** One step of a history. Each action reads the fields that it needs. */
export interface BillingStep {
  action: string;
  /** The record's index, modulo their number, among those to which the step can happen, or among all if unsuited. */
  target: number;
  suited: boolean;
  /** A second choice for the action. */
  other: number;
  /** The number of days that pass before the step. */
  days: number;
  way: Way;
  share: number;
  crumb: boolean;
  /** The day that the request gives; null leaves it to the service. */
  day: string | null;
  lines: LineDraw[];
}

const mostly = fc.constantFrom(...Array<boolean>(6).fill(true), false);
const seldom = fc.constantFrom(...Array<boolean>(14).fill(false), true);
const share = fc.oneof(
  fc.constantFrom(1000, 1000, 0, 500),
  fc.integer({ min: 1, max: 1400 }),
  fc.integer({ min: 100, max: 900 }),
);
const way: fc.Arbitrary<Way> = fc.constantFrom(
  ...(['whole', 'whole', 'units', 'amount', 'amount', 'rate', 'amount and units', 'rate and units'] as const),
);

const line: fc.Arbitrary<LineDraw> = fc.record({
  kind: fc.constantFrom(
    ...(['suited', 'suited', 'suited', 'suited', 'suited', 'suited', 'Fee', 'Discount', 'Text'] as const),
    'CostRecovery',
  ),
  // Index 0 is a record that was written off in part, if there is one.
  target: fc.option(fc.oneof(fc.constant(0), fc.nat(99)), { freq: 6 }),
  suited: mostly,
  way,
  share,
  crumb: seldom,
  taxCode: fc.constantFrom(null, null, null, 'STD', 'RED', 'ZERO', 'EXEMPT'),
});

/** Days around the changes of the standard rate of VAT, and days of the tests' own time. */
const days = ['2008-11-30', '2008-12-01', '2009-12-31', '2010-01-01', '2011-01-03', '2011-01-04'];

export const billingStep: fc.Arbitrary<BillingStep> = fc.record({
  action: fc.oneof(
    ...billingActions.map((name) => ({ weight: often[name] ?? 1, arbitrary: fc.constant(name) })),
  ),
  target: fc.nat(99),
  suited: mostly,
  other: fc.nat(99),
  days: fc.nat(3),
  way,
  share,
  crumb: seldom,
  day: fc.oneof(
    { weight: 4, arbitrary: fc.constant(null) },
    { weight: 1, arbitrary: fc.constantFrom(...days) },
    { weight: 1, arbitrary: fc.constantFrom('2026-01-20', '2026-02-28', '2026-04-30') },
  ),
  lines: fc.oneof(
    { weight: 6, arbitrary: fc.array(line, { minLength: 1, maxLength: 4 }) },
    { weight: 1, arbitrary: fc.constant<LineDraw[]>([]) },
  ),
});

const entry = fc.tuple(billingStep, fc.constantFrom('recordWork', 'recordWork', 'recordCost'));

/** A history that begins with work and costs. Long histories are as likely as short ones. */
export const billingHistory: fc.Arbitrary<BillingStep[]> = fc.noBias(
  fc
    .tuple(
      fc.array(entry, { minLength: 3, maxLength: 8 }),
      fc.array(billingStep, { maxLength: 120, size: 'max' }),
    )
    .map(([entries, steps]) => [
      ...entries.map(([step, action]) => ({ ...step, action, suited: true })),
      ...steps,
    ]),
);
