import { OmitType, PartialType } from '@nestjs/swagger';
import { moneyFrom } from '#kernel/money';
import { CodeField } from '#platform/http/input/code-field';
import { ChoiceField, FlagField, ObjectField, RateInput, TextField } from '#platform/http/input/fields';
import type { RequestContext } from '#platform/request-context';
import { RatePatch } from '../records/merge-patch';
import { RecordInput } from '../records/record';
import type { RecordWriting } from '../records/write-record';
import { requireBaseCurrency, settings, settingsOf } from '../tenants/tenant.lookup';
import { NEW_TASK_TYPE, TaskType, type TaskTypeState } from './task-type';

const RATE = {
  description:
    "The rate for one hour of timed work, or for one unit of itemised work, in the tenant's base currency.",
};

export class TaskTypeInput extends RecordInput {
  @CodeField({ required: true, max: 20, description: 'Must be unique in the firm.', example: 'L120' })
  code: string;

  @TextField({ required: true, example: 'Analysis/Strategy' })
  name: string;

  @ChoiceField([0, 1], {
    description: 'The type of the work items that it is for: 0 Timed Fee, 1 Itemised Fee. Default: both.',
  })
  itemType?: 0 | 1 | null;

  @TextField({ max: 20, description: 'A code of a published code set, UTBMS or EW-J.', example: 'L100' })
  phaseCode?: string | null;

  @TextField({ max: 20, description: 'A code of a published code set, UTBMS or EW-J.', example: 'L120' })
  taskCode?: string | null;

  @TextField({ max: 20, description: 'A code of a published code set, UTBMS or EW-J.', example: 'A103' })
  activityCode?: string | null;

  @TextField({ max: 2000, description: 'The title of a work item of this type that is given none.' })
  narration?: string | null;

  @FlagField({
    description: 'Whether new work of this type can be billed, if the work item does not say. Default: true.',
  })
  isBillable?: boolean | null;

  @ObjectField(() => RateInput, RATE)
  rate?: RateInput | null;
}

export class TaskTypePatch extends PartialType(OmitType(TaskTypeInput, ['rate']), {
  skipNullProperties: false,
}) {
  @ObjectField(() => RatePatch, RATE)
  rate?: RatePatch | null;
}

function asks(context: RequestContext) {
  return { tenant: settingsOf(context) };
}

export const taskTypeWriting: RecordWriting<TaskTypeState, TaskTypeInput, ReturnType<typeof asks>> = {
  definition: TaskType,
  defaults: NEW_TASK_TYPE,
  asks,
  stored: ({ rate }) => (rate ? { rate: moneyFrom(rate) } : {}),
  check({ given: { rate }, found }) {
    requireBaseCurrency(rate?.Currency, settings(found.tenant), 'rate/Currency');
  },
};
