import { at, via } from '#event-store/load';
import type { Answers, UnitOfWork } from '#event-store/unit-of-work';
import { newId } from '#kernel/ids';
import { decimal, moneyFrom, text } from '#kernel/money';
import { dayIn } from '#kernel/zone';
import type { RequestContext } from '#platform/request-context';
import { becomesUnbilled, requireChangeable } from '../billable/billable';
import { finalised } from '../billable/billable.transitions';
import { DisbursementCode } from '../disbursement-codes/disbursement-code.lookup';
import { Matter, openMatter, requireOpen } from '../matters/matter.lookup';
import { completed } from '../records/merge-patch';
import { active, addressed, givenReference, recordChanges, referred } from '../records/record';
import { Supplier } from '../suppliers/supplier.lookup';
import { TaxCode } from '../tax-codes/tax-code.lookup';
import { requireBaseCurrency, settings, settingsOf, type TenantState } from '../tenants/tenant.lookup';
import {
  CostRecovery,
  type CostRecoveryState,
  requireSuitableCode,
  requireSupplier,
  totalOf,
} from './cost-recovery';
import type { CostRecoveryEvent } from './cost-recovery.events';
import type { CostRecoveryInput, CostRecoveryPatch } from './cost-recovery.input';

/** Records a cost. It is finalised at once if the tenant's settings say so. */
export async function recordCostRecovery(work: UnitOfWork, body: CostRecoveryInput) {
  const { context } = work;
  const found = await work.load(questions(context, body));
  const tenant = settings(found.settings);
  checkReferences(body, found, tenant);
  const code = found.code!.data;
  const { matterId, disbursementCodeId, kind, entryDate, supplierId = null } = body;
  requireSuitableCode(kind, code.kind);
  requireSupplier(kind, supplierId);
  const [quantity, unitAmount] = [text(decimal(body.quantity)), moneyFrom(body.unitAmount)];
  const created: CostRecoveryEvent = {
    type: 'CostRecoveryCreated',
    data: {
      matterId,
      disbursementCodeId,
      kind,
      entryDate,
      entryDay: dayIn(tenant.timeZone, entryDate),
      quantity,
      unitAmount,
      total: totalOf(quantity, unitAmount),
      taxCodeId: body.taxCodeId ?? code.taxCodeId,
      supplierId,
      description: body.description ?? defaultDescription(code),
      ...givenReference(context, body.externalReference),
    },
  };
  const state = CostRecovery.evolve(undefined, created);
  return work.create(
    CostRecovery,
    newId('costrecovery'),
    tenant.autoFinaliseWorkItems ? [created, finalised(CostRecovery, state)] : [created],
  );
}

/** Changes a pending cost and computes its total again. The description can change until the cost is billed. */
export async function changeCostRecovery(work: UnitOfWork, id: string, asked: CostRecoveryPatch) {
  const { context } = work;
  const { cost, itsCode, itsMatter, ...found } = await work.load({
    ...questions(context, asked),
    cost: at(CostRecovery, id),
    itsCode: via(DisbursementCode, id, 'disbursementCodeId'),
    itsMatter: via(Matter, id, 'matterId'),
  });
  const before = addressed(work, cost, 'costrecovery');
  const { data } = before;
  const body = completed<CostRecoveryInput>(asked, data);
  const patch = stored(body);
  const given: Partial<CostRecoveryState> = recordChanges(context, data, patch);
  requireChangeable(CostRecovery, data, Object.keys(given), 'description');
  const tenant = settings(found.settings);
  // Only references that change are checked: the others were checked when they were set.
  checkReferences(Object.fromEntries(Object.entries(body).filter(([name]) => name in given)), found, tenant);
  const code = (given.disbursementCodeId ? found.code : itsCode)!.data;
  const next = { ...data, ...given };
  if (given.kind || given.disbursementCodeId) requireSuitableCode(next.kind, code.kind);
  if (given.kind || given.supplierId === null) requireSupplier(next.kind, next.supplierId);
  const changes = recordChanges(context, data, {
    ...patch,
    taxCodeId: next.taxCodeId ?? code.taxCodeId,
    description: next.description ?? defaultDescription(code),
    entryDay: dayIn(tenant.timeZone, next.entryDate),
    total: totalOf(next.quantity, next.unitAmount),
  });
  if (Object.keys(changes).length === 0) return work.change(CostRecovery, before, []);
  const updated: CostRecoveryEvent = { type: 'CostRecoveryUpdated', data: changes };
  if (becomesUnbilled(CostRecovery, data, updated) && !given.matterId) requireOpen(itsMatter);
  return work.change(CostRecovery, before, [updated]);
}

/** Questions for all records that the body refers to. */
function questions(context: RequestContext, body: CostRecoveryPatch) {
  return {
    settings: settingsOf(context),
    matter: at(Matter, body.matterId),
    code: at(DisbursementCode, body.disbursementCodeId),
    taxCode: at(TaxCode, body.taxCodeId),
    supplier: at(Supplier, body.supplierId),
  };
}

/** Checks the references that are neither absent nor null, and the currency. */
function checkReferences(
  body: Partial<CostRecoveryInput>,
  found: Answers<ReturnType<typeof questions>>,
  tenant: TenantState,
): void {
  if (body.matterId) openMatter(found.matter, 'matterId');
  if (body.disbursementCodeId) active(found.code, 'disbursementcode', 'disbursementCodeId');
  if (body.taxCodeId) referred(found.taxCode, 'taxcode', 'taxCodeId');
  if (body.supplierId) active(found.supplier, 'supplier', 'supplierId');
  requireBaseCurrency(body.unitAmount?.Currency, tenant, 'unitAmount/Currency');
}

/** Converts the body's fields to those of the state. */
function stored({ quantity, unitAmount, ...own }: Partial<CostRecoveryInput>) {
  return {
    ...own,
    ...(quantity !== undefined && { quantity: text(decimal(quantity)) }),
    ...(unitAmount !== undefined && { unitAmount: moneyFrom(unitAmount) }),
  };
}

function defaultDescription({ description, name }: { description: string | null; name: string }): string {
  return description ?? name;
}
