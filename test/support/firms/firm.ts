/** A count and a sum, as decimal text with 2 places. */
export interface Figure {
  readonly count: number;
  readonly amount: string;
}

/** A measure of ControlTotal, in total and by the ImportIds of matters and of fee earners. */
export interface Measure {
  readonly total: Figure;
  readonly byMatter: Readonly<Record<string, Figure>>;
  /** Empty for debtors, because an invoice has several fee earners. */
  readonly byFeeEarner: Readonly<Record<string, Figure>>;
}

/** The figures of a source, as its generator counted them. */
export interface Firm {
  /** By the name of the table. */
  readonly rows: Readonly<Record<string, number>>;
  /** All work items. */
  readonly work: Measure;
  /** Pending and finalised items that are billable and on a matter. */
  readonly unbilledWork: Measure;
  /** The count is of work items that issued invoices charge; the amounts are without tax. */
  readonly billed: Measure;
  /** The count is of invoices that are not fully paid; the amounts include tax. */
  readonly debtors: Measure;
}

export type Region = 'uk' | 'au';

export interface FirmOptions {
  /** The number of work items. */
  readonly items: number;
  readonly seed?: number;
  readonly region?: Region;
  /** The last day that the data covers. */
  readonly cutover?: string;
}

export const regions = {
  uk: { currency: 'GBP', timeZone: 'Europe/London', hoursAhead: 0 },
  // UTC+10 in winter, UTC+11 in summer: office hours stay on the same day in both.
  au: { currency: 'AUD', timeZone: 'Australia/Sydney', hoursAhead: 10 },
} as const;
