/** The rates of UK VAT in percent, each with its first day. @see https://www.gov.uk/vat-rates */
const RATES: Record<string, [since: string, percent: number][]> = {
  STD: [
    ['1991-04-01', 17.5],
    ['2008-12-01', 15],
    ['2010-01-01', 17.5],
    ['2011-01-04', 20],
  ],
  RED: [['1997-09-01', 5]],
  ZERO: [['0000-01-01', 0]],
  EXEMPT: [['0000-01-01', 0]],
};

/** The rate of a code on a day, in percent. */
export function percentOn(code: string, day: string): number {
  return RATES[code].filter(([since]) => since <= day).at(-1)![1];
}
