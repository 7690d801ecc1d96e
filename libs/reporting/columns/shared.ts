import { DateTime } from 'luxon';
import type { Period } from '#kernel/periods';
import type { Column } from './column';
import type { Join } from './report';

/** Joins of a row's employee, matter and task type, and of the records that these refer to. */
export function recordJoins(row: string): Join[] {
  return [
    {
      alias: 'e',
      projection: 'employees',
      of: 'employee_id',
      few: true,
      isByDay: true,
      on: `e.id = ${row}.employee_id`,
    },
    { alias: 'ep', projection: 'people', on: 'ep.id = e.entity_id', needs: ['e'] },
    { alias: 'm', projection: 'matters', of: 'matter_id', isByDay: true, on: `m.id = ${row}.matter_id` },
    {
      alias: 'c',
      projection: 'clients',
      needs: ['m'],
      by: 'client_id',
      on: 'c.id = m.client_id',
    },
    { alias: 'cp', projection: 'people', on: 'cp.id = c.entity_id', needs: ['c'] },
    {
      alias: 'd',
      projection: 'divisions',
      needs: ['m'],
      by: 'division_id',
      few: true,
      on: 'd.id = m.division_id',
    },
    {
      alias: 'mt',
      projection: 'matter-types',
      needs: ['m'],
      by: 'matter_type_id',
      few: true,
      on: 'mt.id = m.matter_type_id',
    },
    {
      alias: 't',
      projection: 'task-types',
      of: 'task_type_id',
      few: true,
      on: `t.id = ${row}.task_type_id`,
    },
  ];
}

export const matterTitleColumn: Column = {
  name: 'matterTitle',
  type: 'text',
  isSelective: true,
  description: 'Title of the matter.',
  source: 'm.title',
  joins: ['m'],
};

export const clientNameColumn: Column = {
  name: 'clientSortName',
  type: 'text',
  isSelective: true,
  description: "Name of the matter's client, family name first.",
  source: 'cp.sort_name',
  joins: ['cp'],
};

export const divisionNameColumn: Column = {
  name: 'divisionName',
  type: 'text',
  description: "Name of the matter's division.",
  source: 'd.name',
  joins: ['d'],
};

export const matterTypeColumn: Column = {
  name: 'matterTypeName',
  type: 'text',
  description: "Name of the matter's type.",
  source: 'mt.name',
  joins: ['mt'],
};

export const taskTypeColumn: Column = {
  name: 'taskTypeName',
  type: 'text',
  description: 'Name of the task type.',
  source: 't.name',
  joins: ['t'],
};

/** Columns for a day and for the month, quarter, year and financial year that contain it. */
export function dayColumns(
  alias: string,
  of: string,
  names: Record<'day' | 'month' | 'quarter' | 'year' | 'financialYear', string>,
): Column[] {
  const sql = `${alias}.${of}`;
  return [
    {
      name: names.day,
      type: 'day',
      of,
      grain: 'day',
      byDay: true,
      required: true,
      isUnique: 'ever',
      description: "Day in the tenant's time zone.",
      source: sql,
      daysOf: (value) => ({ min: value, max: value }),
    },
    {
      name: names.month,
      type: 'text',
      of,
      grain: 'month',
      daysOf: monthDays,
      description: 'Month, such as `2025-06`.',
      source: `to_char(${sql}, 'YYYY-MM')`,
    },
    {
      name: names.quarter,
      type: 'text',
      of,
      grain: 'month',
      daysOf: quarterDays,
      description: 'Calendar quarter, such as `2025-Q2`.',
      source: `to_char(${sql}, 'YYYY-"Q"Q')`,
    },
    {
      name: names.year,
      type: 'integer',
      of,
      grain: 'year',
      daysOf: yearDays,
      description: 'Calendar year.',
      source: `extract(year from ${sql})::integer`,
    },
    {
      name: names.financialYear,
      type: 'text',
      of,
      grain: 'month',
      daysOf: financialYearDays,
      description: 'Financial year, such as `2025/26`; `2025` if it is the calendar year.',
      source: (context) => financialYear(sql, context.financialYearStart()),
    },
  ];
}

function financialYear(day: string, start: string): string {
  const first = `${day} - make_interval(months => ${start} - 1)`;
  const last = `${first} + interval '1 year'`;
  return `to_char(${first}, 'YYYY') || case when ${start} = 1 then '' else to_char(${last}, '/YY') end`;
}

const monthDays = (value: string) =>
  daysFrom(/^(\d{4})-(\d\d)$/.exec(value), ([year, month]) => [year, month], 1);
const quarterDays = (value: string) =>
  daysFrom(/^(\d{4})-Q([1-4])$/.exec(value), ([year, quarter]) => [year, quarter * 3 - 2], 3);
const yearDays = (value: string) => daysFrom(/^(\d{4})$/.exec(value), ([year]) => [year, 1], 12);

function financialYearDays(value: string, start: number) {
  const form = start === 1 ? /^(\d{4})$/ : /^(\d{4})\/(\d\d)$/;
  return daysFrom(
    form.exec(value),
    ([year, next]) => (start === 1 || next === (year + 1) % 100 ? [year, start] : []),
    12,
  );
}

/** The period of `months` months that starts with the year and month that `first` computes from the match. */
function daysFrom(
  match: RegExpExecArray | null,
  first: (numbers: number[]) => number[],
  months: number,
): Period | undefined {
  const [year, month] = match ? first(match.slice(1).map(Number)) : [];
  const start = DateTime.fromObject({ year, month }, { zone: 'utc' });
  // The year and the years beside it must be expressible in dates with years of four digits.
  if (!year || !start.isValid || year < 2 || year > 9998) return undefined;
  return { min: start.toISODate(), max: start.plus({ months, days: -1 }).toISODate() };
}
