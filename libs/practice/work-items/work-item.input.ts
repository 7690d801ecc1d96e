import { OmitType, PartialType } from '@nestjs/swagger';
import {
  ChoiceField,
  FlagField,
  IdField,
  IdsField,
  LARGEST_UNITS,
  NumberField,
  ObjectField,
  RateInput,
  TextField,
} from '#platform/http/input/fields';
import { InstantField } from '#platform/http/input/time-fields';
import { RatePatch } from '../records/merge-patch';
import { RecordInput } from '../records/record';

const UNITS = { min: 0, max: LARGEST_UNITS, decimals: 4 };

const RATE = {
  description:
    'For an hour (0) or a unit (1). When absent, the first of: the rate agreed for the matter, for the client; the ' +
    "matter's rate set, the client's; the task type, the employee's default rate, the firm's default rate set.",
};

export class WorkItemInput extends RecordInput {
  @IdField('matter', { description: 'Absent only for time on no matter.' })
  matterId?: string | null;

  @IdField('employee', { required: true, description: 'An active employee of the tenant.' })
  employeeId: string;

  @ChoiceField([0, 1], { required: true, description: '0 Timed Fee, 1 Itemised Fee' })
  itemType: 0 | 1;

  @InstantField({ required: true, example: '2025-06-12T10:00:00Z' })
  entryDate: string;

  @NumberField({
    max: 100_000_000_000_000,
    description:
      '10,000,000 ticks a second; required for a timed fee. 422 `units_too_large` when they come to more than 9,999,999 units.',
    example: 36_000_000_000,
  })
  durationTicks?: number | null;

  @NumberField({
    ...UNITS,
    description:
      'Derived from the ticks when absent; 1 for an itemised fee. 422 `total_too_large` when they come to more than 99,999,999,999.',
  })
  units?: number | null;

  @ObjectField(() => RateInput, RATE)
  rate?: RateInput | null;

  @TextField({ max: 2000, description: "The task type's narration when absent." })
  title?: string | null;

  @IdField('tasktype', { description: 'An active task type.' })
  taskTypeId?: string | null;

  @FlagField({ description: 'As the task type says, else true, when absent or null.' })
  isBillable?: boolean | null;
}

export class WorkItemPatch extends PartialType(OmitType(WorkItemInput, ['rate']), {
  skipNullProperties: false,
}) {
  @ObjectField(() => RatePatch, RATE)
  rate?: RatePatch | null;
}

export class FinaliseInput {
  @IdsField('workitem', {
    required: true,
    max: 200,
    description: 'Each is answered by one row, however often it is named.',
  })
  ids: string[];
}
