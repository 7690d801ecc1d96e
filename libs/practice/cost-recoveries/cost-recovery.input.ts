import { OmitType, PartialType } from '@nestjs/swagger';
import {
  ChoiceField,
  IdField,
  IdsField,
  LARGEST_UNITS,
  MoneyInput,
  NumberField,
  ObjectField,
  TextField,
} from '#platform/http/input/fields';
import { InstantField } from '#platform/http/input/time-fields';
import { type DisbursementKind, disbursementKinds } from '../disbursement-codes/disbursement-code.events';
import { MoneyPatch } from '../records/merge-patch';
import { RecordInput } from '../records/record';

const UNIT_AMOUNT = {
  required: true,
  description:
    "What one costs, without tax, in the tenant's base currency. `total` is the quantity times it, half-up to the " +
    'minor unit; 422 `total_too_large` above 99,999,999,999.',
  example: { Amount: 3, Currency: 'GBP' },
};

export class CostRecoveryInput extends RecordInput {
  @IdField('matter', { required: true, description: 'An open matter.' })
  matterId: string;

  @IdField('disbursementcode', {
    required: true,
    description: 'An active disbursement code, of the kind of the cost when it has one.',
  })
  disbursementCodeId: string;

  @ChoiceField(disbursementKinds, {
    required: true,
    example: 'Incurred',
    description:
      'CostRecovery: of the firm itself; Anticipated: expected, and not billed until it is changed to another kind; ' +
      'Incurred: bought from a supplier. 422 `disbursement_kind_mismatch` when the disbursement code is for another kind.',
  })
  kind: DisbursementKind;

  @InstantField({ required: true, example: '2025-06-12T10:00:00Z' })
  entryDate: string;

  @NumberField({ required: true, max: LARGEST_UNITS, decimals: 4, example: 2 })
  quantity: number;

  @ObjectField(() => MoneyInput, UNIT_AMOUNT)
  unitAmount: MoneyInput;

  @IdField('taxcode', { description: "The disbursement code's when absent or null." })
  taxCodeId?: string | null;

  @IdField('supplier', {
    description: 'An active supplier; 422 `supplier_required` when an Incurred cost has none.',
  })
  supplierId?: string | null;

  @TextField({
    max: 2000,
    description: "The disbursement code's description, else its name, when absent or null.",
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
    description: 'Each is answered by one row, however often it is named.',
  })
  ids: string[];
}
