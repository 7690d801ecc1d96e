import type { Folded } from '#event-store/events';
import { conflict, invalid } from '#kernel/errors';
import type { Day } from '#kernel/zone';
import type { RecordState } from '../records/record';
import { simpleRecord } from '../records/simple-record';
import { type ApplicableRateFields, applicableRateEvents } from './applicable-rate.events';

export interface ApplicableRateState extends RecordState, ApplicableRateFields {}

/**
 * The kind of the link from a rate to its matter or client. Rates that could overlap have links of the same kind. It
 * differs for each employee that rates name, because a firm may have agreed rates with a client for hundreds of employees.
 */
export function scopeLink({ employeeId }: Pick<ApplicableRateState, 'employeeId'>): string {
  return employeeId === null ? 'applicable_rate' : `applicable_rate ${employeeId}`;
}

/** The kinds of the links of all rates that can apply to an employee's work. */
export function scopeLinks(employeeId: string): string[] {
  return [null, employeeId].map((named) => scopeLink({ employeeId: named }));
}

export const ApplicableRate = simpleRecord<ApplicableRateState>({
  kind: 'applicablerate',
  name: 'ApplicableRate',
  events: applicableRateEvents,
  links: ({ scopeId, employeeId, taskTypeId }) => [
    { kind: scopeLink({ employeeId }), target: scopeId },
    ...[employeeId, taskTypeId]
      .filter((id) => id !== null)
      .map((target) => ({ kind: 'applicable_rate_for', target })),
  ],
});

export function isInForce(
  { effectiveFrom, effectiveTo }: Pick<ApplicableRateFields, 'effectiveFrom' | 'effectiveTo'>,
  day: Day,
): boolean {
  return effectiveFrom <= day && (effectiveTo === null || day <= effectiveTo);
}

/**
 * Refuses a rate that is in force on the same day as another one with the same keys.
 * @param others the rates of the same scope
 * @throws DomainError `applicable_rate_overlap` (409), which names the other rate
 */
export function requireNoOverlap(
  rate: Folded<ApplicableRateState>,
  others: readonly Folded<ApplicableRateState>[],
): void {
  const same = ['scopeId', 'per', 'employeeId', 'billingGrade', 'taskTypeId'] as const;
  const other = others.find(
    ({ id, data }) =>
      id !== rate.id &&
      same.every((key) => data[key] === rate.data[key]) &&
      (isInForce(data, rate.data.effectiveFrom) || isInForce(rate.data, data.effectiveFrom)),
  );
  if (!other) return;
  const { effectiveFrom, effectiveTo } = other.data;
  const days = `from ${effectiveFrom}${effectiveTo === null ? '' : ` to ${effectiveTo}`}`;
  throw conflict('applicable_rate_overlap', `The rate ${other.id} is already for the same work, ${days}.`);
}

/** Refuses a changed scope, and days in the wrong order. @throws DomainError `scope_fixed`, `days_reversed` (422) */
export function requireSound(next: ApplicableRateState, before: ApplicableRateState | undefined): void {
  if (before && (next.scope !== before.scope || next.scopeId !== before.scopeId)) {
    const field = next.scope === before.scope ? 'scopeId' : 'scope';
    throw invalid('scope_fixed', `${field}: the matter or client of a rate cannot be changed.`, field);
  }
  if (next.effectiveTo !== null && next.effectiveTo < next.effectiveFrom)
    throw invalid('days_reversed', 'effectiveTo: it is before effectiveFrom.', 'effectiveTo');
}
