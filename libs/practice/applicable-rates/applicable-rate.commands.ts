import type { Folded } from '#event-store/events';
import { at, counter, linkedTo } from '#event-store/load';
import type { UnitOfWork } from '#event-store/unit-of-work';
import { isId } from '#kernel/ids';
import { moneyFrom } from '#kernel/money';
import { dayGiven } from '#kernel/zone';
import type { RequestContext } from '#platform/request-context';
import { Client } from '../clients/client.lookup';
import { Employee } from '../employees/employee.lookup';
import { Matter, openMatter } from '../matters/matter.lookup';
import { ChangeCommand, CreateCommand, handlerOf } from '../records/command';
import { active } from '../records/record';
import { createRecord, type RecordWriting, updateRecord } from '../records/write-record';
import { TaskType } from '../task-types/task-type.lookup';
import { requireBaseCurrency, settings, settingsOf } from '../tenants/tenant.lookup';
import {
  ApplicableRate,
  type ApplicableRateState,
  requireNoOverlap,
  requireSound,
  scopeLink,
} from './applicable-rate';
import type { ApplicableRateInput, ApplicableRatePatch } from './applicable-rate.input';

function asks(context: RequestContext, { scopeId, employeeId, taskTypeId }: ApplicableRatePatch) {
  return {
    tenant: settingsOf(context),
    matter: at(Matter, isId('matter', scopeId) ? scopeId : null),
    client: at(Client, isId('client', scopeId) ? scopeId : null),
    employee: at(Employee, employeeId),
    taskType: at(TaskType, taskTypeId),
  };
}

type Writing = RecordWriting<ApplicableRateState, ApplicableRateInput, ReturnType<typeof asks>>;

export const applicableRateWriting: Writing = {
  definition: ApplicableRate,
  defaults: {
    scope: 'Matter',
    scopeId: '',
    rate: { amount: '0', currency: '' },
    per: 'Hour',
    employeeId: null,
    billingGrade: null,
    taskTypeId: null,
    effectiveFrom: '',
    effectiveTo: null,
  },
  asks,
  stored({ rate, effectiveFrom, effectiveTo }, { tenant }) {
    const { timeZone } = settings(tenant);
    return {
      ...(rate && { rate: moneyFrom(rate) }),
      ...(effectiveFrom && { effectiveFrom: dayGiven(timeZone, effectiveFrom) }),
      ...(effectiveTo && { effectiveTo: dayGiven(timeZone, effectiveTo) }),
    };
  },
  check({ given, found, next, before }) {
    requireSound(next, before?.data);
    if (given.scopeId && next.scope === 'Matter') openMatter(found.matter, 'scopeId');
    if (given.scopeId && next.scope === 'Client') active(found.client, 'client', 'scopeId');
    if (given.employeeId) active(found.employee, 'employee', 'employeeId');
    if (given.taskTypeId) active(found.taskType, 'tasktype', 'taskTypeId');
    requireBaseCurrency(given.rate?.Currency, settings(found.tenant), 'rate/Currency');
  },
};

export class CreateApplicableRate extends CreateCommand<ApplicableRateInput> {}

export class UpdateApplicableRate extends ChangeCommand<ApplicableRatePatch> {}

export const CreateApplicableRateHandler = handlerOf(CreateApplicableRate, async (work, { body }) =>
  alone(work, await createRecord(work, applicableRateWriting, body)),
);

export const UpdateApplicableRateHandler = handlerOf(UpdateApplicableRate, async (work, { id, body }) =>
  alone(work, await updateRecord(work, applicableRateWriting, id, body)),
);

/**
 * Checks that no other rate of the same scope overlaps this one, and returns it. The function also increments a counter
 * of the scope's changes, so that of two concurrent requests the later one sees the rate that the other one wrote.
 */
async function alone(work: UnitOfWork, rate: Folded<ApplicableRateState>) {
  const { scopeId } = rate.data;
  const changed = `applicable_rates ${scopeId}`;
  const { others, changes } = await work.load({
    others: linkedTo(ApplicableRate, scopeId, [scopeLink(rate.data)]),
    changes: counter(changed),
  });
  requireNoOverlap(rate, others);
  work.count(changed, changes, changes + 1);
  return rate;
}

export const applicableRateHandlers = [CreateApplicableRateHandler, UpdateApplicableRateHandler];
