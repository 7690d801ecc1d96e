import type { EventStore } from '#event-store/event-store';
import { at } from '#event-store/load';
import type { RequestContext } from '#platform/request-context';
import { disbursementCodeWriting } from '../disbursement-codes/disbursement-code.commands';
import { CreateRecord, CreateRecordHandler } from '../records/records.commands';
import { supplierWriting } from '../suppliers/supplier.commands';
import { taskTypeWriting } from '../task-types/task-type.commands';
import { taxCodeWriting } from '../tax-codes/tax-code.commands';
import { markTaxRateUsed, TaxCode, taxRateOn } from '../tax-codes/tax-code.lookup';
import { liveRecord } from './record-life';

/** @returns a task type with every field */
export function liveTaskTypes(store: EventStore, context: RequestContext): Promise<string> {
  return liveRecord(store, context, taskTypeWriting, {
    least: { code: 'GEN', name: 'General' },
    full: {
      code: 'L120',
      name: 'Analysis',
      itemType: 0,
      phaseCode: 'L100',
      taskCode: 'L120',
      activityCode: 'A103',
      narration: 'Considering',
      isBillable: true,
      rate: { Amount: 250, Currency: 'GBP' },
    },
    changes: {
      code: 'L130',
      name: 'Experts',
      itemType: 1,
      phaseCode: 'L100',
      taskCode: 'L130',
      activityCode: 'A104',
      narration: 'Instructing',
      isBillable: false,
      rate: { Amount: 99.5, Currency: 'GBP' },
    },
  });
}

/** @returns a tax code whose rate an invoice has charged */
export async function liveTaxCodes(store: EventStore, context: RequestContext): Promise<string> {
  const id = await liveRecord(store, context, taxCodeWriting, {
    least: { code: 'EX', name: 'Exempt', category: 'Exempt' },
    full: {
      code: 'STD',
      name: 'Standard rate',
      scheme: 'VAT',
      category: 'Standard',
      rates: [
        { percent: 17.5, from: '2010-01-01', to: '2011-01-03' },
        { percent: 20, from: '2011-01-04' },
      ],
    },
    changes: {
      code: 'RED',
      name: 'Reduced rate',
      scheme: 'GST',
      category: 'Reduced',
      rates: [{ percent: 5, from: '1997-09-01', to: '2030-12-31' }],
    },
  });
  await store.execute(context, async (work) => {
    const { code } = await work.load({ code: at(TaxCode, id) });
    return work.change(TaxCode, code!, markTaxRateUsed(code!.data, taxRateOn(code!.data, '2025-06-12')));
  });
  return id;
}

/** @returns a supplier with every field */
export async function liveSuppliers(
  store: EventStore,
  context: RequestContext,
  { entities, taxCodeId }: { entities: string[]; taxCodeId: string },
): Promise<string> {
  const usual = new CreateRecord(context, disbursementCodeWriting, { code: 'FEE', name: 'Fee', taxCodeId });
  const defaultDisbursementCodeId = (await new CreateRecordHandler(store).execute(usual)).record.id;
  const terms = { taxCodeId, defaultDisbursementCodeId };
  return liveRecord(store, context, supplierWriting, {
    least: { entityId: entities[0] },
    full: { entityId: entities[1], ...terms, paymentTermsDays: 30 },
    changes: { ...terms, paymentTermsDays: 14 },
  });
}

/** @returns a disbursement code with every field */
export async function liveDisbursementCodes(
  store: EventStore,
  context: RequestContext,
  { taxCodeId, supplierId }: { taxCodeId: string; supplierId: string },
): Promise<string> {
  const body = { code: 'EX', name: 'Exempt', category: 'Exempt' };
  const exempt = new CreateRecord(context, taxCodeWriting, body);
  const other = (await new CreateRecordHandler(store).execute(exempt)).record.id;
  return liveRecord(store, context, disbursementCodeWriting, {
    least: { code: 'COPY', name: 'Copying', taxCodeId },
    full: {
      code: 'SEARCH',
      name: 'Search',
      kind: 'Incurred',
      taxCodeId,
      supplierId,
      expenseCode: 'E124',
      unitAmount: { Amount: 3, Currency: 'GBP' },
      description: 'Official copy of the register',
    },
    changes: {
      code: 'POST',
      name: 'Postage',
      kind: 'CostRecovery',
      taxCodeId: other,
      supplierId,
      unitAmount: { Amount: 0.1, Currency: 'GBP' },
      description: 'Letters',
      expenseCode: 'E108',
    },
  });
}
