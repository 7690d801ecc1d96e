import * as billable from '../billable/billable.commands';
import { CostRecovery } from '../cost-recoveries/cost-recovery';
import * as cost from '../cost-recoveries/cost-recovery.commands';
import { disbursementCodeWriting } from '../disbursement-codes/disbursement-code.commands';
import * as records from '../records/records.commands';
import type { AnyWriting } from '../records/write-record';
import { taxCodeWriting } from '../tax-codes/tax-code.commands';
import type { Do } from './work-life';

const gbp = (Amount: number) => ({ Amount, Currency: 'GBP' });

interface CostParts {
  matterId: string;
  otherMatterId: string;
  /** A code for incurred costs, which are bought. */
  disbursementCodeId: string;
  taxCodeId: string;
  supplierId: string;
}

/** Causes every type of event of costs, except those that invoices cause. */
export async function liveCosts(
  act: Do,
  { matterId, otherMatterId, disbursementCodeId, taxCodeId, supplierId }: CostParts,
): Promise<void> {
  const create = async (writing: AnyWriting, body: object) =>
    (await act(records.CreateRecord, records.CreateRecordHandler, writing, body)).record.id;
  const outside = await create(taxCodeWriting, { code: 'OUT', name: 'Outside', category: 'OutOfScope' });
  const mileage = await create(disbursementCodeWriting, {
    code: 'MILE',
    name: 'Mileage',
    taxCodeId: outside,
  });
  const record = async (body: cost.RecordCostRecovery['body']) =>
    (await act(cost.RecordCostRecovery, cost.RecordCostRecoveryHandler, body)).record.id;
  const search = await record({
    matterId,
    disbursementCodeId,
    taxCodeId,
    supplierId,
    kind: 'Incurred',
    quantity: 2,
    entryDate: '2025-06-12T10:00:00.000Z',
    unitAmount: gbp(3),
    externalReference: 'R1',
    description: 'Official copy of the register',
  });
  const trip = await record({
    matterId,
    disbursementCodeId: mileage,
    kind: 'Anticipated',
    quantity: 40,
    unitAmount: gbp(0.45),
    entryDate: '2025-06-13T10:00:00.000Z',
  });
  for (const id of [search, trip])
    await act(billable.UnfinaliseBillable, billable.UnfinaliseBillableHandler, CostRecovery, id);
  await act(cost.UpdateCostRecovery, cost.UpdateCostRecoveryHandler, trip, {
    matterId: otherMatterId,
    disbursementCodeId,
    taxCodeId,
    supplierId,
    kind: 'Incurred',
    entryDate: '2025-06-14T10:00:00.000Z',
    quantity: 1.5,
    unitAmount: gbp(0.25),
    description: 'Copies of the plans',
    externalReference: 'R2',
  });
  for (const id of [search, trip]) {
    await act(billable.FinaliseBillable, billable.FinaliseBillableHandler, CostRecovery, id);
    await act(billable.WriteOffBillable, billable.WriteOffBillableHandler, CostRecovery, id, {
      reason: 'Goodwill',
      units: 1,
    });
    await act(billable.ReinstateBillable, billable.ReinstateBillableHandler, CostRecovery, id);
  }
  await act(billable.UnfinaliseBillable, billable.UnfinaliseBillableHandler, CostRecovery, trip);
  await act(billable.DeleteBillable, billable.DeleteBillableHandler, CostRecovery, trip);
}
