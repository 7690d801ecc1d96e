import { isDay } from '#kernel/periods';
import type { Column, ColumnType } from '../columns/column';
import { refused } from '../refusal';

/** A column and the value that rows must have in it; null for rows without a value. */
export interface GroupKey {
  column: Column;
  /** The value as PostgreSQL reads it for the column's type. */
  value: string | null;
}

type Given = string | number | boolean | null;

/** Converts a group key, as a row shows it, to the column's type. */
export function readGroupKey(column: Column, given: Given, path: string): GroupKey {
  if (given === null) return { column, value: null };
  const text = String(given);
  const { test, form } = types[column.type];
  if (!test(text)) throw refused('GROUP_KEY_TYPE', path, `A key of ${column.name} is ${form}.`);
  if (column.choices && !column.choices.includes(text))
    throw refused('GROUP_KEY_TYPE', path, `A key of ${column.name} is one of ${column.choices.join(', ')}.`);
  return { column, value: text };
}

/** An offset must be below 16 hours, as in PostgreSQL. */
const instant = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,6})?)?(Z|[+-](0\d|1[0-5]):\d{2})$/;

const types: Record<ColumnType, { test(text: string): boolean; form: string }> = {
  text: { test: (text) => !text.includes('\0') && text.isWellFormed(), form: 'a text' },
  id: { test: (text) => /^[0-9a-f]{32}$/.test(text), form: '32 lowercase hexadecimal digits' },
  boolean: { test: (text) => text === 'true' || text === 'false', form: 'true or false' },
  integer: { test: (text) => /^-?\d{1,18}$/.test(text), form: 'a whole number' },
  decimal: { test: isDecimal, form: 'a number' },
  day: { test: isDay, form: 'a day, YYYY-MM-DD' },
  instant: {
    test: (text) => instant.test(text) && isDay(text.slice(0, 10)) && !Number.isNaN(Date.parse(text)),
    form: 'an instant, as 2025-06-12T10:00:00.000+00:00',
  },
};

function isDecimal(text: string): boolean {
  return /^-?\d{1,40}(\.\d{1,40})?(e[+-]?\d{1,2})?$/i.test(text);
}
