import type { Period } from '#kernel/periods';
import { baseOf, type Report } from '../columns/report';
import type { Bind } from '../condition';
import type { Demand } from '../sources/demand';
import type { Piece } from '../sources/pieces';
import type { Over } from '../sources/source';
import type { Building } from './building';
import { liveOf } from './joins';

/** Keys that are computed from another column: their SQL, and what rows are grouped by. */
export type ComputedKeys = Record<string, { sql: string; by: string }>;

/** Conditions that a row of the report's own table belongs to the tenant, its live generation and the period. */
export function rowsWithin({ report, period }: Over, { scope, bind }: Building): string[] {
  const within = period && report.within?.(period, scope.zone, bind);
  return [liveOf(report), ...(within ?? daysWithin(report, period, bind))];
}

/** Conditions that a row of the report's own table is of a day within a period. */
export function daysWithin(report: Report, period: Period | undefined, bind: Bind): string[] {
  const day = `${report.alias}.${report.derived.rollup.day}`;
  return [
    ...(period?.min ? [`${day} >= ${bind(period.min)}::date`] : []),
    ...(period?.max ? [`${day} <= ${bind(period.max)}::date`] : []),
  ];
}

/** Conditions that a row of a rollup belongs to a piece. */
export function periodsOf({ from, to }: Piece, bind: Bind): string[] {
  if (from !== null && from === to) return [`r.period = ${bind(from)}::date`];
  return [
    ...(from ? [`r.period >= ${bind(from)}::date`] : []),
    ...(to ? [`r.period <= ${bind(to)}::date`] : []),
  ];
}

/**
 * Whether a piece is a single month or day. In a month, work is done on few of all matters of a firm, so looking up
 * each of them is faster than reading all matters.
 */
export function isOneMonth({ grain, from, to }: Piece): boolean {
  return grain !== 'year' && from !== null && from === to;
}

/**
 * The first day of the month in place of the day, where all that is grouped by are months or longer: with other keys, a
 * year has thirty times as many groups by day, each of which is joined with its names.
 * @returns the month by the name of the day's column; nothing where days are needed
 */
export function byMonth({ report }: Over, { keys }: Demand): ComputedKeys {
  const { day } = report.derived.rollup;
  const periods = [...keys].filter((column) => baseOf(report, column) === day);
  const needsDay = periods.some(({ grain }) => grain !== 'month' && grain !== 'year');
  if (needsDay || periods.length === 0) return {};
  const month = `date_trunc('month', ${report.alias}.${day}::timestamp)::date`;
  return { [day]: { sql: month, by: month } };
}
