import { OmitType, PartialType } from '@nestjs/swagger';
import {
  ChoiceField,
  FlagField,
  IdField,
  LARGEST_UNITS,
  NumberField,
  ObjectField,
  RateInput,
  TextField,
} from '#platform/http/input/fields';
import { IdsField } from '#platform/http/input/list-fields';
import { InstantField } from '#platform/http/input/time-fields';
import { RatePatch } from '../records/merge-patch';
import { RecordInput } from '../records/record';

const UNITS = {
  min: 0,
  max: LARGEST_UNITS,
  decimals: 4,
  description:
    'The number of units charged. Default: derived from the ticks for a timed fee, and 1 for an ' +
    'itemised fee. Refused with 422 `total_too_large` when units and rate come to more than 99,999,999,999.',
};

const RATE = {
  description:
    'The rate for one hour of a timed fee, or for one unit of an itemised fee. Default: the first that is ' +
    "found of these: the rate agreed for the matter, the rate agreed for the client, the matter's rate set, the " +
    "client's rate set, the rate of the task type, the employee's default rate, the firm's default rate set.",
};

export class WorkItemInput extends RecordInput {
  @IdField('matter', { description: 'The matter that the work was done on. Absent for work on no matter.' })
  matterId?: string | null;

  @IdField('employee', { required: true, description: 'An active employee of the tenant.' })
  employeeId: string;

  @ChoiceField([0, 1], { required: true, description: '0 Timed Fee, 1 Itemised Fee' })
  itemType: 0 | 1;

  @InstantField({ required: true, example: '2025-06-12T10:00:00Z', description: 'When the work was done.' })
  entryDate: string;

  @NumberField({
    max: 100_000_000_000_000,
    description:
      'The duration in ticks of 100 ns: 10,000,000 ticks are one second. Required for a timed fee. Refused with 422 ' +
      '`units_too_large` when it comes to more than 9,999,999 units.',
    example: 36_000_000_000,
  })
  durationTicks?: number | null;

  @NumberField(UNITS)
  units?: number | null;

  @ObjectField(() => RateInput, RATE)
  rate?: RateInput | null;

  @TextField({ max: 2000, description: 'What was done. Default: the narration of the task type.' })
  title?: string | null;

  @IdField('tasktype', { description: 'An active task type.' })
  taskTypeId?: string | null;

  @FlagField({
    description:
      'Whether the work can be billed. Default: that of the task type, or true without a task type.',
  })
  isBillable?: boolean | null;
}

/** What a client sends back as it has read it is not meant as its own choice. */
const REPEATED =
  'A value that the item already has counts as absent, unless the request also changes `matterId`, `employeeId`, ' +
  '`taskTypeId`, `itemType`, `entryDate` or `durationTicks`.';

export class WorkItemPatch extends PartialType(OmitType(WorkItemInput, ['units', 'rate']), {
  skipNullProperties: false,
}) {
  @NumberField({ ...UNITS, description: `${UNITS.description} ${REPEATED}` })
  units?: number | null;

  @ObjectField(() => RatePatch, { description: `${RATE.description} ${REPEATED}` })
  rate?: RatePatch | null;
}

export class FinaliseInput {
  @IdsField('workitem', {
    required: true,
    max: 200,
    description:
      'The records to finalise. The answer has one row for each different id, even when an id is repeated.',
  })
  ids: string[];
}
