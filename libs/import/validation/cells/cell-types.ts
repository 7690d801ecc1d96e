import { escapeLiteral } from 'pg';
import {
  digitsAllowed,
  EXACT_DIGITS,
  LARGEST_AMOUNT,
  LARGEST_RATE,
  LARGEST_UNITS,
} from '#platform/http/input/fields';
import type { Column } from '../../schema/table';
import { withoutSpace } from '../checked-names';

/** How a cell is read: SQL over `v`, the cell's text. */
export interface CellType {
  /** The name of the type in the finding's message. */
  called: string;
  /** Whether the text can be cast. */
  isValid(v: string): string;
  cast(v: string): string;
  sqlType: string;
}

/**
 * As many digits as a number of SQL Server can have: a number that is too large is then out of range, not unreadable.
 */
const DIGITS = '\\d{1,38}';

/** A decimal with at most so many digits after the point; zeros beyond them are ignored. */
const decimalOf = (called: string, decimals: number): CellType => ({
  called,
  isValid: (v) => `${v} ~ '^-?${DIGITS}(\\.\\d{0,${decimals}}0*)?$'`,
  cast: (v) => `${v}::numeric`,
  sqlType: 'numeric',
});

const RATE_DECIMALS = 10;
const rate = decimalOf(`a rate of ${digitsAllowed(LARGEST_RATE, RATE_DECIMALS)}`, RATE_DECIMALS);

const whole: CellType = {
  called: 'a whole number',
  isValid: (v) => `${v} ~ '^-?${DIGITS}$'`,
  cast: (v) => `${v}::bigint`,
  sqlType: 'bigint',
};

const text: CellType = {
  called: 'a text, or empty instead of blank',
  isValid: (v) => `${withoutSpace(v)} <> ''`,
  cast: (v) => v,
  sqlType: 'text',
};

const DAY = '\\d{4}-\\d\\d-\\d\\d';
const TIME = '([01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d(\\.\\d{1,9})?Z?';

export const cellTypes: Record<Column['type'], CellType> = {
  key: text,
  reference: text,
  text,
  choice: text,
  currency: text,
  money: decimalOf('an amount of at most 4 decimals', 4),
  quantity: decimalOf('a number of at most 4 decimals', 4),
  percent: decimalOf('a percentage of at most 4 decimals', 4),
  rate: {
    ...rate,
    // A number with more digits before the point is out of range, not unreadable.
    isValid: (v) =>
      `case when ${rate.isValid(v)}
         then scale(trim_scale(${v}::numeric)) <= greatest(${EXACT_DIGITS} - length(trunc(abs(${v}::numeric))::text), 0)
         else false end`,
  },
  ticks: whole,
  integer: whole,
  boolean: {
    called: '0 or 1',
    isValid: (v) => `${v} in ('0', '1')`,
    cast: (v) => `${v} = '1'`,
    sqlType: 'boolean',
  },
  date: {
    called: 'a day such as 2026-03-31',
    isValid: (v) => `${v} ~ '^${DAY}$' and pg_input_is_valid(${v}, 'date')`,
    cast: (v) => `${v}::date`,
    sqlType: 'date',
  },
  instant: {
    called: 'an instant such as 2026-03-31T09:30:00',
    isValid: (v) => `${v} ~ '^${DAY}(T${TIME})?$' and pg_input_is_valid(left(${v}, 10), 'date')`,
    // To the millisecond, the precision of stored instants.
    cast: (v) => `rtrim(left(${v}, 23), 'Z')::timestamp`,
    sqlType: 'timestamp',
  },
};

const DAYS = ['1900-01-01', '2199-12-31'] as const;
/** The largest number with 15 digits before the point, as many as the declared types have. */
const LARGEST_NUMBER = 999_999_999_999_999;

/** Narrower ranges of some columns, by `Table.Column`; the same as for requests. */
const ranges: Record<string, readonly [least: number, most: number]> = {
  'TaxRate.Percent': [0, 100],
  'DisbursementCode.UnitAmount': [0, LARGEST_AMOUNT],
  'Employee.DefaultRate': [0, LARGEST_RATE],
  'Client.PaymentTermsDays': [0, 365],
  'Supplier.PaymentTermsDays': [0, 365],
  'RateSetEntry.Rate': [0, LARGEST_RATE],
  'ApplicableRate.Rate': [0, LARGEST_RATE],
  'Matter.FeeEstimate': [0, LARGEST_AMOUNT],
  'WorkItem.DurationTicks': [0, 100_000_000_000_000],
  'WorkItem.Units': [0, LARGEST_UNITS],
  'WorkItem.Rate': [0, LARGEST_RATE],
  'CostRecovery.Quantity': [0, LARGEST_UNITS],
  'CostRecovery.UnitAmount': [0, LARGEST_AMOUNT],
  'InvoiceLine.Units': [0, LARGEST_UNITS],
  'InvoiceLine.Rate': [0, LARGEST_RATE],
  'InvoiceLine.Amount': [-LARGEST_AMOUNT, LARGEST_AMOUNT],
  'Payment.Amount': [0, LARGEST_AMOUNT],
  'ControlTotal.Count': [0, Number.MAX_SAFE_INTEGER],
};

/** SQL: the valid cell `v` is within its column's range; also the two bounds. Null for a type without a range. */
export function rangeOf(table: string, { name, type }: Column) {
  if (type === 'date' || type === 'instant') {
    const within = (v: string) => `left(${v}, 10) between ${DAYS.map(escapeLiteral).join(' and ')}`;
    return { bounds: DAYS, within };
  }
  if (!['numeric', 'bigint'].includes(cellTypes[type].sqlType)) return null;
  const bounds = ranges[`${table}.${name}`] ?? [-LARGEST_NUMBER, LARGEST_NUMBER];
  return { bounds, within: (v: string) => `${v}::numeric between ${bounds[0]} and ${bounds[1]}` };
}
