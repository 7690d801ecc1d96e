import type { Derived } from '#projections/projection';

/**
 * The number of decimals of each column that is stored as a scaled integer. Integers add up faster than decimals, and
 * amounts and units with 4 decimals and minutes with 8 fit in 63 bits.
 */
export const SCALE = { units: 4, minutes: 8, total: 4, total_base: 4, remaining: 4, duration_ticks: 0 };

const same = (type: string, name: string) => ({ type, value: (row: string) => `${row}.${name}` });
const scaled = (decimals: number, sql: (row: string) => string) => ({
  type: 'bigint',
  value: (row: string) => `(${sql(row)} * ${10 ** decimals})::bigint`,
});

/** The tables from which reports read very many work items. @see reporting.md: Physical design */
export const workItemDerived: Derived = {
  facts: {
    name: 'work_item_facts',
    columns: {
      entry_day: same('date', 'entry_day'),
      employee_id: same('uuid', 'employee_id'),
      matter_id: same('uuid', 'matter_id'),
      task_type_id: same('uuid', 'task_type_id'),
      item_state: same('smallint', 'item_state'),
      item_type: same('smallint', 'item_type'),
      currency: same('text', 'currency'),
      is_billable: same('boolean', 'is_billable'),
      is_deleted: same('boolean', 'is_deleted'),
      units: scaled(SCALE.units, (row) => `${row}.units`),
      minutes: scaled(SCALE.minutes, (row) => `${row}.units * ${row}.unit_minutes`),
      total: scaled(SCALE.total, (row) => `${row}.total`),
      total_base: scaled(SCALE.total_base, (row) => `${row}.total_base`),
      remaining: scaled(SCALE.remaining, (row) => `${row}.remaining`),
      duration_ticks: same('bigint', 'duration_ticks'),
    },
  },
  rollup: {
    name: 'work_item_rollups',
    counts: (row) => `not ${row}.is_deleted`,
    day: 'entry_day',
    dimensions: {
      all: { columns: [], grains: ['day', 'month', 'year'] },
      employee: { columns: ['employee_id'], grains: ['month', 'year'], mergesYears: true },
      matter: { columns: ['matter_id'], grains: ['month'], mergesYears: true },
      taskType: { columns: ['task_type_id'], grains: ['month', 'year'] },
      employeeMatter: { columns: ['employee_id', 'matter_id'], grains: [], mergesYears: true },
    },
    required: ['employee_id'],
    splits: { item_state: 'smallint', item_type: 'smallint', currency: 'text' },
    merged: ['item_state', 'item_type'],
    sums: Object.keys(SCALE),
  },
};
