import type { DomainEvent } from '#kernel/decider';
import { dayIn } from '#kernel/zone';
import type { BillableDefinition, BillableState } from '#practice/billable/billable';
import {
  CostRecovery,
  requireSuitableCode,
  requireSupplier,
  totalOf,
} from '#practice/cost-recoveries/cost-recovery';
import type { CostRecoveryFields } from '#practice/cost-recoveries/cost-recovery.events';
import type { DisbursementKind } from '#practice/disbursement-codes/disbursement-code.events';
import type { noReference } from '#practice/records/record';
import { WorkItem } from '#practice/work-items/work-item';
import { ItemType, type WorkItemFields } from '#practice/work-items/work-item.events';
import { priceWorkItem, requireChargeable, type ValueBasis } from '#practice/work-items/work-item.value';
import { type Course, courseOf } from './billing';
import type { Ground, Maker } from './imported-record';
import { amountOf, flagOf, instantOf, maybeAmount, moneyOf, needed, type Row } from './row';

type Reference = typeof noReference;

/** The fields are exactly those of the event, so that none is copied for the very many records. */
export interface WantedWorkItem extends Course {
  fields: WorkItemFields & Reference;
}

export interface WantedCost extends Course {
  fields: CostRecoveryFields & Reference;
}

const itemTypes: Record<string, ItemType> = ItemType;

/**
 * A maker of records that invoice lines can charge. Lines need the recorded state before the charged amount is known.
 */
export interface BillableMaker<Wanted extends Course, State extends BillableState> extends Maker<Wanted> {
  /** The record's state after its creation. */
  recorded(wanted: Wanted): State;
  /** @param state the record's state after its creation */
  events(wanted: Wanted, state: State, ground: Ground): DomainEvent[];
}

function billable<Wanted extends Course & { fields: object }, State extends BillableState>(
  definition: BillableDefinition<State>,
  wanted: (row: Row, ground: Ground) => Wanted,
): BillableMaker<Wanted, State> {
  const { name } = definition;
  const type = `${name}Created`;
  const first = ({ fields }: Wanted): DomainEvent => ({ type, data: fields });
  const recorded = (content: Wanted) => definition.evolve(undefined, first(content));
  const events = (content: Wanted, state: State, ground: Ground) => [
    first(content),
    ...courseOf(definition, state, content, reasonOf(ground)),
  ];
  const create = (content: Wanted, ground: Ground) => ({
    events: events(content, recorded(content), ground),
  });
  return { table: name, definition, wanted, recorded, events, create };
}

export const workItems = billable(WorkItem, wantedWorkItem);
export const costRecoveries = billable(CostRecovery, wantedCost);

/** Reads a work item's row. `charge` is null here: it comes from the invoice lines alone. */
function wantedWorkItem(row: Row, ground: Ground): WantedWorkItem {
  const { ids, settings, known } = ground;
  const matterId = ids.maybeTo('Matter', row.MatterId);
  const taskTypeId = ids.maybeTo('TaskType', row.TaskTypeId);
  const entryDate = instantOf(needed(row, 'EntryDate'));
  const itemType = itemTypes[needed(row, 'ItemType')];
  const durationTicks = Number(row.DurationTicks ?? 0);
  const value = priced(row, {
    itemType,
    durationTicks,
    units: null,
    rounding: settings.unitRounding,
    minutesPerUnit: row.MinutesPerUnit ?? known.unitLength(matterId) ?? settings.minutesPerUnit,
    rate: moneyOf(needed(row, 'Rate'), needed(row, 'RateCurrency')),
  });
  return {
    // One literal without a spread: with so many fields a spread would make it a dictionary, which is ten times as
    // slow.
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
      title: row.Title ?? ((row.Called ?? known.narrations.get(taskTypeId ?? '')) || null),
      isBillable: flagOf(needed(row, 'IsBillable')),
      externalReference: null,
      referenceOwner: null,
    },
    state: needed(row, 'State'),
    writtenOffOn: row.State === 'WrittenOff' ? row.WriteOffDate : null,
    charge: null,
  };
}

/** The value of work. Units that equal those derived from the ticks do not count as the source's own. */
function priced({ Units }: Row, basis: ValueBasis) {
  const derived = priceWorkItem(basis);
  const units = maybeAmount(Units);
  const value = units === null || units === derived.units ? derived : priceWorkItem({ ...basis, units });
  requireChargeable(value);
  return value;
}

function wantedCost(row: Row, { ids, settings, known }: Ground): WantedCost {
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
      taxCodeId: row.TaxCodeId ?? code.taxCodeId,
      supplierId,
      description: row.Description ?? row.Called ?? code.description ?? code.name,
      externalReference: null,
      referenceOwner: null,
    },
    state: needed(row, 'State'),
    // The source has no day of the write-off.
    writtenOffOn: row.State === 'WrittenOff' ? entryDay : null,
    charge: null,
  };
}

/** The reason to record with a write-off. */
export function reasonOf({ sourceSystem }: Ground): string {
  return `Written off in ${sourceSystem}`;
}
