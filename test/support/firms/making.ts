import { Names } from '#practice/demo/names';
import { Random } from '#practice/demo/random';
import { type DayNumber, dayNumber } from './days';
import { type FirmOptions, type Region, regions } from './firm';
import { FirmFigures } from './firm-figures';
import type { FirmWriter } from './firm-writer';
import type { People } from './people';
import { type TaxRates, taxRatesOf } from './reference-rows';

/** Everything that is needed to make a firm. */
export interface Making {
  readonly items: number;
  readonly region: Region;
  readonly currency: string;
  readonly timeZone: string;
  readonly hoursAhead: number;
  readonly cutover: DayNumber;
  readonly random: Random;
  readonly names: Names;
  readonly writer: FirmWriter;
  readonly figures: FirmFigures;
  readonly taxRates: TaxRates;
  /**
   * The numbers of records so far. What happens to a record depends on its number, so that everything happens in a
   * small firm.
   */
  readonly made: {
    items: number;
    costs: number;
    invoices: number;
    numbers: number;
    lines: number;
    payments: number;
  };
}

/** With the people, after they were made. */
export type Staffed = Making & { readonly people: People };

export function begin(
  writer: FirmWriter,
  { items, seed = 1, region = 'uk', cutover = '2025-12-31' }: FirmOptions,
): Making {
  const { currency, timeZone, hoursAhead } = regions[region];
  const random = new Random(seed);
  return {
    items,
    region,
    currency,
    timeZone,
    hoursAhead,
    cutover: dayNumber(cutover),
    random,
    writer,
    names: new Names(region, random),
    figures: new FirmFigures(),
    taxRates: taxRatesOf(region),
    made: { items: 0, costs: 0, invoices: 0, numbers: 0, lines: 0, payments: 0 },
  };
}
