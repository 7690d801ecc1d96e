import { Decimal } from 'decimal.js';
import type { NaiveColumn, NaiveReport, NaiveType } from './naive-columns';

/** A column's value: numbers are decimals, instants are ISO 8601 as rows show them, durations are minutes. */
export type NaiveValue = Decimal | string | boolean | null;

/** All values of a work item or a fact, by column name. `tie` orders rows that sort equally. */
export type NaiveRow = Record<string, NaiveValue> & { tie: string };

const Exact = Decimal.clone({ precision: 80, rounding: Decimal.ROUND_HALF_UP });
export const exact = (value: Decimal.Value): Decimal => new Exact(value);

const people = new Intl.Collator('en', { numeric: true });
const byBytes = (one: string, other: string) => Buffer.compare(Buffer.from(one), Buffer.from(other));

/** Compares values, nulls lowest. */
export function compareValues(type: NaiveType, one: NaiveValue, other: NaiveValue): number {
  if (one === null || other === null) return Number(other === null) - Number(one === null);
  if (one instanceof Decimal) return one.cmp(other as Decimal);
  if (typeof one === 'boolean') return Number(one) - Number(other);
  const inOrder = type === 'name' ? people.compare(one, other as string) : 0;
  return inOrder || byBytes(one, other as string);
}

/** A value as JSON contains it. */
export function shown(value: NaiveValue): string | number | boolean | null {
  return value instanceof Decimal ? value.toNumber() + 0 : value;
}

const ten = (value: Decimal) => value.toDecimalPlaces(10, Decimal.ROUND_HALF_UP);

/** The shown value of a column: minutes become hours with 10 places. */
export function columnValue({ name }: NaiveColumn, kept: NaiveValue): NaiveValue {
  return name === 'unitDuration' && kept instanceof Decimal ? ten(kept.div(60)) : kept;
}

/** Billed ÷ (billed + written off − written up); null when that is 0. */
export function ratioOf([billed, writtenOff, writtenUp]: Decimal[]): Decimal | null {
  const worth = billed.add(writtenOff).sub(writtenUp);
  return worth.isZero() ? null : ten(billed.div(worth));
}

/** An aggregate of rows, or the ratio of their sums. */
export function aggregate(
  report: NaiveReport,
  column: NaiveColumn,
  aggFunc: string | undefined,
  rows: readonly NaiveRow[],
): NaiveValue {
  const ratio = report.ratios[column.name];
  if (ratio && (aggFunc === undefined || aggFunc === 'avg'))
    return ratioOf(ratio.map((name) => sum(rows.map((row) => row[name]))));
  const kept = rows.map((row) => row[column.name]).filter((value) => value !== null);
  const inOrder = () => [...kept].sort((one, other) => compareValues(column.type, one, other));
  switch (aggFunc) {
    case 'count':
      return exact(kept.length);
    case 'countDistinct':
      return exact(new Set(kept.map(String)).size);
    case 'sum':
      return columnValue(column, sum(kept));
    case 'avg': {
      if (kept.length === 0) return null;
      const mean = sum(kept).div(kept.length);
      return column.name === 'unitDuration' ? columnValue(column, mean) : ten(mean);
    }
    case 'min':
      return columnValue(column, inOrder()[0] ?? null);
    case 'max':
      return columnValue(column, inOrder().at(-1) ?? null);
  }
  throw new Error(`No aggregate ${aggFunc}`);
}

function sum(values: readonly NaiveValue[]): Decimal {
  return values.reduce<Decimal>((total, value) => total.add(value as Decimal), exact(0));
}

/** The value that all rows have in common, otherwise null. */
export function sharedValue(column: NaiveColumn, rows: readonly NaiveRow[]): NaiveValue {
  const kept = rows.map((row) => row[column.name]);
  const [first] = kept;
  return kept.every((value) => String(value) === String(first)) ? columnValue(column, first) : null;
}
