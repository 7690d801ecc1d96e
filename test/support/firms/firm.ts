/** How many, and what they come to: decimal text with 2 places. */
export interface Figure {
  readonly count: number;
  readonly amount: string;
}

/** A measure of ControlTotal, in total and by the ImportIds of matters and of fee earners. */
export interface Measure {
  readonly total: Figure;
  readonly byMatter: Readonly<Record<string, Figure>>;
  /** Empty for debtors: an invoice is of several. */
  readonly byFeeEarner: Readonly<Record<string, Figure>>;
}

/** What a source comes to, as its generator counted it. */
export interface Firm {
  /** By the table's name. */
  readonly rows: Readonly<Record<string, number>>;
  /** All work items. */
  readonly work: Measure;
  /** Pending and finalised ones that are billable and on a matter. */
  readonly unbilledWork: Measure;
  /** Counts the work items that issued invoices charge; their amounts without tax. */
  readonly billed: Measure;
  /** Counts the invoices that leave something to be paid; tax included. */
  readonly debtors: Measure;
}

export type Region = 'uk' | 'au';

export interface FirmOptions {
  /** Work items. */
  readonly items: number;
  readonly seed?: number;
  readonly region?: Region;
  /** The last day that the data covers. */
  readonly cutover?: string;
}

export const regions = {
  uk: { currency: 'GBP', timeZone: 'Europe/London', hoursAhead: 0 },
  // Ten hours ahead in winter, eleven in summer: office hours stay on one day in both.
  au: { currency: 'AUD', timeZone: 'Australia/Sydney', hoursAhead: 10 },
} as const;
