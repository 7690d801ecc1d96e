import { dayIn } from '#kernel/zone';
import {
  CostRecovery,
  type CostRecoveryState,
  requireSuitableCode,
  requireSupplier,
  totalOf,
} from '#practice/cost-recoveries/cost-recovery';
import type { CostRecoveryEvent, CostRecoveryFields } from '#practice/cost-recoveries/cost-recovery.events';
import type { DisbursementKind } from '#practice/disbursement-codes/disbursement-code.events';
import { WorkItem, type WorkItemState } from '#practice/work-items/work-item';
import { ItemType, type WorkItemEvent, type WorkItemFields } from '#practice/work-items/work-item.events';
import { priceWorkItem, type ValueBasis } from '#practice/work-items/work-item.value';
import { type Charge, type Course, courseOf } from './billing';
import { type Ground, type Maker, noReference } from './imported-record';
import { amountOf, flagOf, instantOf, maybeAmount, moneyOf, needed, type Row } from './row';

export interface WantedWorkItem extends Course {
  fields: WorkItemFields;
}

export interface WantedCost extends Course {
  fields: CostRecoveryFields;
}

const itemTypes: Record<string, ItemType> = ItemType;

export const workItems: Maker<WantedWorkItem> = {
  table: 'WorkItem',
  definition: WorkItem,
  wanted: (row, ground) => wantedWorkItem(row, ground, null),
  create: ({ fields, ...course }, ground) => {
    const first = workItemCreated(fields);
    const state = WorkItem.evolve(undefined, first);
    return { events: [first, ...courseOf(WorkItem, state, course, reasonOf(ground))] };
  },
};

/** @param charge of the line that charges it */
export function wantedWorkItem(row: Row, ground: Ground, charge: Charge | null): WantedWorkItem {
  const { ids, settings, known } = ground;
  const matterId = ids.maybeTo('Matter', row.MatterId);
  const taskTypeId = ids.maybeTo('TaskType', row.TaskTypeId);
  const entryDate = instantOf(needed(row, 'EntryDate'));
  const itemType = itemTypes[needed(row, 'ItemType')];
  const durationTicks = Number(row.DurationTicks ?? 0);
  const value = priced(row, {
    ...{ itemType, durationTicks, units: null, rounding: settings.unitRounding },
    minutesPerUnit: known.unitLength(matterId) ?? settings.minutesPerUnit,
    rate: moneyOf(needed(row, 'Rate'), needed(row, 'RateCurrency')),
  });
  return {
    // One literal, without a spread: of so many fields that would be a dictionary, ten times as slow.
    fields: {
      matterId,
      employeeId: ids.to('Employee', needed(row, 'EmployeeId')),
      taskTypeId,
      itemType,
      entryDate,
      entryDay: dayIn(settings.timeZone, entryDate),
      durationTicks,
      units: value.units,
      unitsOverridden: value.unitsOverridden,
      minutesPerUnit: value.minutesPerUnit,
      rate: value.rate,
      rateSource: 'Request',
      total: value.total,
      title: row.Title ?? known.narrations.get(taskTypeId ?? '') ?? null,
      isBillable: flagOf(needed(row, 'IsBillable')),
    },
    state: needed(row, 'State'),
    writtenOffOn: row.WriteOffDate,
    charge,
  };
}

/** Units that the ticks come to by themselves are not the source's own. */
function priced({ Units }: Row, basis: ValueBasis) {
  const derived = priceWorkItem(basis);
  const units = maybeAmount(Units);
  return units === null || units === derived.units ? derived : priceWorkItem({ ...basis, units });
}

function workItemCreated(fields: WorkItemFields): WorkItemEvent {
  return { type: 'WorkItemCreated', data: Object.assign({ ...noReference }, fields) };
}

/** As it was recorded, before anything happened to it. */
export function newWorkItem({ fields }: WantedWorkItem): WorkItemState {
  return WorkItem.evolve(undefined, workItemCreated(fields));
}

export const costRecoveries: Maker<WantedCost> = {
  table: 'CostRecovery',
  definition: CostRecovery,
  wanted: (row, ground) => wantedCost(row, ground, null),
  create: ({ fields, ...course }, ground) => {
    const first = costCreated(fields);
    const state = CostRecovery.evolve(undefined, first);
    return { events: [first, ...courseOf(CostRecovery, state, course, reasonOf(ground))] };
  },
};

/** @param charge of the line that charges it */
export function wantedCost(row: Row, { ids, settings, known }: Ground, charge: Charge | null): WantedCost {
  const disbursementCodeId = ids.to('DisbursementCode', needed(row, 'DisbursementCodeId'));
  const code = known.costCodes.get(disbursementCodeId);
  if (!code) throw new Error(`The disbursement code of cost ${row.ImportId} is unknown`);
  const kind = needed(row, 'Kind') as DisbursementKind;
  const supplierId = ids.maybeTo('Supplier', row.SupplierId);
  requireSuitableCode(kind, code.kind);
  requireSupplier(kind, supplierId);
  const entryDate = instantOf(needed(row, 'EntryDate'));
  const entryDay = dayIn(settings.timeZone, entryDate);
  const quantity = amountOf(needed(row, 'Quantity'));
  const unitAmount = moneyOf(needed(row, 'UnitAmount'), settings.currency);
  return {
    fields: {
      matterId: ids.to('Matter', needed(row, 'MatterId')),
      disbursementCodeId,
      kind,
      entryDate,
      entryDay,
      quantity,
      unitAmount,
      total: totalOf(quantity, unitAmount),
      taxCodeId: code.taxCodeId,
      supplierId,
      description: row.Description ?? code.description ?? code.name,
    },
    state: needed(row, 'State'),
    // The source says no day of it.
    writtenOffOn: row.State === 'WrittenOff' ? entryDay : null,
    charge,
  };
}

function costCreated(fields: CostRecoveryFields): CostRecoveryEvent {
  return { type: 'CostRecoveryCreated', data: Object.assign({ ...noReference }, fields) };
}

/** As it was recorded, before anything happened to it. */
export function newCost({ fields }: WantedCost): CostRecoveryState {
  return CostRecovery.evolve(undefined, costCreated(fields));
}

/** Of a write-off. */
export function reasonOf({ sourceSystem }: Ground): string {
  return `Written off in ${sourceSystem}`;
}
