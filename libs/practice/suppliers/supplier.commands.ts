import { PartialType } from '@nestjs/swagger';
import { at, holderOf, via } from '#event-store/load';
import { conflict, invalid } from '#kernel/errors';
import { toId } from '#kernel/ids';
import { IdField, NumberField } from '#platform/http/input/fields';
import type { RequestContext } from '#platform/request-context';
import { DisbursementCode } from '../disbursement-codes/disbursement-code.lookup';
import { Entity, presentEntity, refuseErased } from '../entities/entity.lookup';
import { active, RecordInput, referred } from '../records/record';
import type { RecordWriting } from '../records/write-record';
import { TaxCode } from '../tax-codes/tax-code.lookup';
import { ENTITY_SUPPLIER, Supplier, type SupplierState } from './supplier';

export class SupplierInput extends RecordInput {
  @IdField('entity', {
    required: true,
    description:
      'The person or organisation that is the supplier. It cannot be changed later. An entity can be only one supplier.',
  })
  entityId: string;

  @IdField('taxcode', {
    description:
      'The tax code by which the supplier usually charges, for information only. A cost is taxed by its own tax code, ' +
      'or by that of its disbursement code.',
  })
  taxCodeId?: string | null;

  @IdField('disbursementcode', {
    description: 'The active disbursement code that is usual for costs from this supplier.',
  })
  defaultDisbursementCodeId?: string | null;

  @NumberField({ max: 365, description: 'How many days after its date a bill of the supplier is due.' })
  paymentTermsDays?: number | null;
}

export class SupplierPatch extends PartialType(SupplierInput, { skipNullProperties: false }) {}

function asks(_: RequestContext, body: SupplierPatch, id?: string) {
  const { entityId, taxCodeId, defaultDisbursementCodeId } = body;
  return {
    taxCode: at(TaxCode, taxCodeId),
    disbursementCode: at(DisbursementCode, defaultDisbursementCodeId),
    ...(entityId && !id && { entity: at(Entity, entityId), holder: holderOf(ENTITY_SUPPLIER, entityId) }),
  };
}

export const supplierWriting: RecordWriting<SupplierState, SupplierInput, ReturnType<typeof asks>> = {
  definition: Supplier,
  defaults: { entityId: '', taxCodeId: null, defaultDisbursementCodeId: null, paymentTermsDays: null },
  asks,
  async checkActivation(work, id) {
    refuseErased((await work.load({ entity: via(Entity, id, 'entityId') })).entity);
  },
  check({ given, found, before }) {
    const { entityId, taxCodeId, defaultDisbursementCodeId } = given;
    if (before && entityId)
      throw invalid('entity_fixed', 'entityId: the entity of a supplier cannot be changed.', 'entityId');
    if (!before) presentEntity(found.entity, 'entityId');
    if (found.holder) {
      const id = toId('supplier', found.holder);
      throw conflict('entity_supplier_taken', `The entity is already the supplier ${id}.`);
    }
    if (taxCodeId) referred(found.taxCode, 'taxcode', 'taxCodeId');
    if (defaultDisbursementCodeId)
      active(found.disbursementCode, 'disbursementcode', 'defaultDisbursementCodeId');
  },
};
