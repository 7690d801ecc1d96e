import type { Folded } from '#event-store/events';
import { along, at, holding, linkedTo, via } from '#event-store/load';
import type { Answers } from '#event-store/unit-of-work';
import { DomainError } from '#kernel/errors';
import type { Day } from '#kernel/zone';
import type { EmployeeFields } from '../employees/employee.events';
import type { MatterFields } from '../matters/matter.events';
import { DEFAULT_RATE_SET, RateSet } from '../rate-sets/rate-set.lookup';
import type { TaskTypeFields } from '../task-types/task-type.events';
import { ApplicableRate, scopeLinks } from './applicable-rate';
import { type RateLevel, type ResolvedRate, rateLevels, resolveRate } from './rate-resolution';

export { type RateLevel, type ResolvedRate, rateLevels };

/**
 * Questions for all records that can supply the rate of work, except its employee and its task type.
 * @param work null if the rate is known, so that nothing is asked
 */
export function rateQuestions(work: { matterId?: string | null; employeeId: string } | null) {
  const matterId = work?.matterId;
  const kinds = work ? scopeLinks(work.employeeId) : [];
  return {
    matterRates: linkedTo(ApplicableRate, matterId, kinds),
    clientRates: linkedTo(ApplicableRate, matterId, kinds, 'clientId'),
    matterSet: via(RateSet, matterId, 'rateSetId'),
    clientSet: along(RateSet, matterId, ['clientId', 'defaultRateSetId']),
    defaultSet: work ? holding(RateSet, DEFAULT_RATE_SET) : at(RateSet, null),
  };
}

/** The work whose rate is resolved, with the records that it refers to. */
export interface WorkToRate {
  /** 0 Timed Fee, 1 Itemised Fee. */
  itemType: 0 | 1;
  /** The day of the entry date in the tenant's zone. */
  day: Day;
  currency: string;
  matter: Folded<Pick<MatterFields, 'matterTypeId'>> | undefined;
  employee: Folded<EmployeeFields>;
  taskType: Folded<TaskTypeFields> | undefined;
}

/** Resolves the rate of an employee's work from the answers to `rateQuestions`. */
export function resolveFor(
  { itemType, day, currency, matter, employee, taskType }: WorkToRate,
  answers: Answers<ReturnType<typeof rateQuestions>>,
): ResolvedRate {
  const keys = {
    employeeId: employee.id,
    taskTypeId: taskType?.id,
    billingGrade: employee.data.billingGrade ?? undefined,
    jobTitle: employee.data.jobTitle ?? undefined,
    matterTypeId: matter?.data.matterTypeId ?? undefined,
  };
  const per = itemType === 0 ? 'Hour' : 'Unit';
  return resolveRate({ per, day, currency, keys }, { ...answers, employee, taskType });
}

/** The error 422 `rate_not_found`, which lists the steps that were tried. */
export function rateNotFound({ trace }: ResolvedRate): DomainError {
  const code = 'rate_not_found';
  const steps = trace.map(
    ({ level, recordId, detail }) => `${level}${recordId ? ` (${recordId})` : ''}: ${detail}`,
  );
  const detail = `No rate was given and none was found. ${steps.join('; ')}.`;
  return new DomainError(
    'invalid',
    code,
    detail,
    steps.map((message) => ({ pointer: '/rate', code, message })),
  );
}
