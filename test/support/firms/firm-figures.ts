import { type Exact, exact, money } from './exact';
import type { Figure, Firm, Measure } from './firm';
import type { FirmWriter } from './firm-writer';

/** The names of the measures in ControlTotal. */
export const measures = ['Work', 'UnbilledWork', 'Billed', 'Debtors'] as const;
export type MeasureName = (typeof measures)[number];

interface Sum {
  count: number;
  amount: Exact;
}

interface Book {
  readonly total: Sum;
  readonly byMatter: Map<string, Sum>;
  readonly byFeeEarner: Map<string, Sum>;
}

/** The firm's figures, added up while its rows are made. */
export class FirmFigures {
  private readonly books: Record<MeasureName, Book> = {
    Work: emptyBook(),
    UnbilledWork: emptyBook(),
    Billed: emptyBook(),
    Debtors: emptyBook(),
  };

  add(measure: MeasureName, matterId: string | null, feeEarnerId: string | null, amount: Exact): void {
    const book = this.books[measure];
    addTo(book.total, amount);
    if (matterId !== null) addTo(sumOf(book.byMatter, matterId), amount);
    if (feeEarnerId !== null) addTo(sumOf(book.byFeeEarner, feeEarnerId), amount);
  }

  /** Writes the rows of ControlTotal, as a source would. */
  write(writer: FirmWriter): void {
    let last = 0;
    const row = (measure: string, groupBy: string, key: string | null, { count, amount }: Figure) =>
      writer.add('ControlTotal', {
        ImportId: `CT-${++last}`,
        Measure: measure,
        GroupBy: groupBy,
        GroupKey: key,
        Count: count,
        Amount: amount === '' ? null : amount,
      });
    for (const [table, count] of Object.entries(writer.rows()))
      if (table !== 'ControlTotal') row('Rows', 'Table', table, { count, amount: '' });
    for (const name of measures) {
      const { total, byMatter, byFeeEarner } = measureOf(this.books[name]);
      row(name, 'Total', null, total);
      for (const [key, figure] of Object.entries(byMatter)) row(name, 'Matter', key, figure);
      for (const [key, figure] of Object.entries(byFeeEarner)) row(name, 'FeeEarner', key, figure);
    }
  }

  firm(rows: Firm['rows']): Firm {
    const { Work, UnbilledWork, Billed, Debtors } = this.books;
    return {
      rows,
      work: measureOf(Work),
      unbilledWork: measureOf(UnbilledWork),
      billed: measureOf(Billed),
      debtors: measureOf(Debtors),
    };
  }
}

function emptyBook(): Book {
  return { total: { count: 0, amount: exact(0) }, byMatter: new Map(), byFeeEarner: new Map() };
}

function sumOf(sums: Map<string, Sum>, key: string): Sum {
  let sum = sums.get(key);
  if (!sum) sums.set(key, (sum = { count: 0, amount: exact(0) }));
  return sum;
}

function addTo(sum: Sum, amount: Exact): void {
  sum.count++;
  sum.amount = sum.amount.add(amount);
}

function measureOf({ total, byMatter, byFeeEarner }: Book): Measure {
  return { total: figureOf(total), byMatter: figuresOf(byMatter), byFeeEarner: figuresOf(byFeeEarner) };
}

function figuresOf(sums: Map<string, Sum>): Record<string, Figure> {
  return Object.fromEntries([...sums].map(([key, sum]) => [key, figureOf(sum)]));
}

function figureOf({ count, amount }: Sum): Figure {
  return { count, amount: money(amount) };
}
