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
  @IdField('entity', { required: true, description: 'Never changes; an entity is one supplier at most.' })
  entityId: string;

  @IdField('taxcode', {
    description:
      'What it usually charges by: for information. Its costs are taxed by their own code, or by that of their disbursement code.',
  })
  taxCodeId?: string | null;

  @IdField('disbursementcode', { description: 'An active code: what its costs usually are.' })
  defaultDisbursementCodeId?: string | null;

  @NumberField({ max: 365, description: 'Days after which its bills are due.' })
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
      throw invalid('entity_fixed', 'entityId: a supplier never becomes another entity.', 'entityId');
    if (!before) presentEntity(found.entity, 'entityId');
    if (found.holder) {
      const id = toId('supplier', found.holder);
      throw conflict('entity_supplier_taken', `The entity is the supplier ${id} already.`);
    }
    if (taxCodeId) referred(found.taxCode, 'taxcode', 'taxCodeId');
    if (defaultDisbursementCodeId)
      active(found.disbursementCode, 'disbursementcode', 'defaultDisbursementCodeId');
  },
};
