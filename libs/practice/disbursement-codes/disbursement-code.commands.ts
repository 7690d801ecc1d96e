import { OmitType, PartialType } from '@nestjs/swagger';
import { at } from '#event-store/load';
import { moneyFrom } from '#kernel/money';
import { CodeField } from '#platform/http/input/code-field';
import { ChoiceField, IdField, MoneyInput, ObjectField, TextField } from '#platform/http/input/fields';
import type { RequestContext } from '#platform/request-context';
import { MoneyPatch } from '../records/merge-patch';
import { active, RecordInput, referred } from '../records/record';
import type { RecordWriting } from '../records/write-record';
import { Supplier } from '../suppliers/supplier.lookup';
import { TaxCode } from '../tax-codes/tax-code.lookup';
import { requireBaseCurrency, settings, settingsOf } from '../tenants/tenant.lookup';
import { DisbursementCode, type DisbursementCodeState } from './disbursement-code';
import { type DisbursementKind, disbursementKinds } from './disbursement-code.events';

const UNIT_AMOUNT = { description: "The price of one, in the tenant's base currency." };

export class DisbursementCodeInput extends RecordInput {
  @CodeField({ required: true, max: 20, description: 'Must be unique in the firm.', example: 'SEARCH' })
  code: string;

  @TextField({ required: true, example: 'Land registry search' })
  name: string;

  @ChoiceField(disbursementKinds, {
    description:
      'The kind of the costs that it is for. CostRecovery: costs of the firm itself. Anticipated: expected costs. ' +
      'Incurred: bought from a supplier. Default: any kind.',
  })
  kind?: DisbursementKind | null;

  @IdField('taxcode', {
    required: true,
    description: 'The tax code of a cost with this code that is given none.',
  })
  taxCodeId: string;

  @ObjectField(() => MoneyInput, UNIT_AMOUNT)
  unitAmount?: MoneyInput | null;

  @TextField({ max: 2000, description: 'The description of a cost with this code that is given none.' })
  description?: string | null;

  @IdField('supplier', { description: 'The active supplier from whom it is usually bought.' })
  supplierId?: string | null;

  @TextField({ max: 20, description: 'A code of a published code set, such as UTBMS.', example: 'E112' })
  expenseCode?: string | null;
}

export class DisbursementCodePatch extends PartialType(OmitType(DisbursementCodeInput, ['unitAmount']), {
  skipNullProperties: false,
}) {
  @ObjectField(() => MoneyPatch, UNIT_AMOUNT)
  unitAmount?: MoneyPatch | null;
}

function asks(context: RequestContext, { taxCodeId, supplierId }: DisbursementCodePatch) {
  return {
    tenant: settingsOf(context),
    taxCode: at(TaxCode, taxCodeId),
    supplier: at(Supplier, supplierId),
  };
}

export const disbursementCodeWriting: RecordWriting<
  DisbursementCodeState,
  DisbursementCodeInput,
  ReturnType<typeof asks>
> = {
  definition: DisbursementCode,
  defaults: {
    code: '',
    name: '',
    kind: null,
    taxCodeId: '',
    unitAmount: null,
    description: null,
    supplierId: null,
    expenseCode: null,
  },
  asks,
  stored: ({ unitAmount }) => (unitAmount ? { unitAmount: moneyFrom(unitAmount) } : {}),
  check({ given, found }) {
    if (given.taxCodeId) referred(found.taxCode, 'taxcode', 'taxCodeId');
    if (given.supplierId) active(found.supplier, 'supplier', 'supplierId');
    requireBaseCurrency(given.unitAmount?.Currency, settings(found.tenant), 'unitAmount/Currency');
  },
};
