import { OmitType, PartialType } from '@nestjs/swagger';
import {
  ChoiceField,
  IdField,
  LARGEST_UNITS,
  MoneyInput,
  NumberField,
  ObjectField,
  TextField,
} from '#platform/http/input/fields';
import { IdsField } from '#platform/http/input/list-fields';
import { InstantField } from '#platform/http/input/time-fields';
import { type DisbursementKind, disbursementKinds } from '../disbursement-codes/disbursement-code.events';
import { MoneyPatch } from '../records/merge-patch';
import { RecordInput } from '../records/record';

const UNIT_AMOUNT = {
  required: true,
  description:
    "The price of one, without tax, in the tenant's base currency. The `total` is quantity × unitAmount, rounded " +
    'half-up to the minor unit of the currency. Refused with 422 `total_too_large` when that is above 99,999,999,999.',
  example: { Amount: 3, Currency: 'GBP' },
};

export class CostRecoveryInput extends RecordInput {
  @IdField('matter', { required: true, description: 'An open matter.' })
  matterId: string;

  @IdField('disbursementcode', {
    required: true,
    description: 'An active disbursement code. If the code has a kind, it must be the kind of the cost.',
  })
  disbursementCodeId: string;

  @ChoiceField(disbursementKinds, {
    required: true,
    example: 'Incurred',
    description:
      'CostRecovery: a cost of the firm itself. Anticipated: an expected cost, which cannot be billed until it is ' +
      'changed to another kind. Incurred: bought from a supplier. Refused with 422 `disbursement_kind_mismatch` when ' +
      'the disbursement code is for another kind.',
  })
  kind: DisbursementKind;

  @InstantField({ required: true, example: '2025-06-12T10:00:00Z', description: 'When the cost arose.' })
  entryDate: string;

  @NumberField({
    required: true,
    max: LARGEST_UNITS,
    decimals: 4,
    example: 2,
    description: 'How many were bought or used.',
  })
  quantity: number;

  @ObjectField(() => MoneyInput, UNIT_AMOUNT)
  unitAmount: MoneyInput;

  @IdField('taxcode', { description: 'Default: the tax code of the disbursement code.' })
  taxCodeId?: string | null;

  @IdField('supplier', {
    description:
      'An active supplier. Required for an Incurred cost, which is otherwise refused with 422 `supplier_required`.',
  })
  supplierId?: string | null;

  @TextField({
    max: 2000,
    description: 'Default: the description of the disbursement code; if that has none, its name.',
    example: 'Official copy of the register',
  })
  description?: string | null;
}

/** The fields of a patch, before `PartialType` makes them optional. */
class CostRecoveryChange extends OmitType(CostRecoveryInput, ['unitAmount']) {
  @ObjectField(() => MoneyPatch, UNIT_AMOUNT)
  unitAmount: MoneyPatch;
}

export class CostRecoveryPatch extends PartialType(CostRecoveryChange, { skipNullProperties: false }) {}

export class FinaliseCostRecoveriesInput {
  @IdsField('costrecovery', {
    required: true,
    max: 200,
    description:
      'The records to finalise. The answer has one row for each different id, even when an id is repeated.',
  })
  ids: string[];
}
