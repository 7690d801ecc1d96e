import type { RecordedEvent } from '#event-store/events';
import { toUuid } from '#kernel/ids';
import { decimal, text } from '#kernel/money';
import type { Day } from '#kernel/zone';
import type { Projection, ReadRow } from '#projections/projection';
import { writeRows } from '#projections/write-rows';
import type { BillableEvent, Dimensions, Movement, Portion } from '../billable/billable.events';
import { feeAnalysisDerived, feeMeasures } from './fee-analysis.facts';

type Measure = (typeof feeMeasures)[number];

/** The measures that an event changes on a day. Amounts carry the sign of the movement. */
interface Flow {
  of: Dimensions;
  day: Day;
  moved: Partial<Record<Measure, Portion>>;
}

const table = {
  name: 'fee_analysis',
  columns: {
    tenant_id: 'int',
    id: 'uuid',
    part: 'smallint',
    work_item_id: 'uuid',
    matter_id: 'uuid',
    employee_id: 'uuid',
    task_type_id: 'uuid',
    day: 'date',
    currency: 'text',
    ...Object.fromEntries(
      feeMeasures.flatMap((name) => [name, `${name}_units`].map((one) => [one, 'numeric'])),
    ),
  },
  key: ['tenant_id', 'id', 'part'],
  stream: 'work_item_id',
};

/**
 * The facts of fee analysis, one for each movement. A fact is never updated: every measure is a signed flow.
 * @see resources.md: Fee analysis measures
 */
export const feeAnalysisProjection: Projection = {
  name: 'fee-analysis',
  version: 2,
  tables: [table],
  derived: feeAnalysisDerived,
  eventTypes: new Set([
    'WorkItemFinalised',
    'WorkItemUnfinalised',
    'WorkItemWrittenOff',
    'WorkItemReinstated',
    'WorkItemBilled',
    'WorkItemBillingReversed',
  ]),
  apply: (client, generation, events) =>
    writeRows(client, table, generation, events.flatMap(factsOf), 'fail', feeAnalysisDerived),
  ofStream() {
    const rows: ReadRow[] = [];
    return { add: (recorded) => rows.push(...factsOf(recorded)), rows: () => [rows] };
  },
};

/** The facts of an event, numbered: the reversal of a billing can count on two days. */
function factsOf({ tenantId, eventId, streamId, event }: RecordedEvent): ReadRow[] {
  return flowsOf(event as BillableEvent<'WorkItem'>).map(({ of, day, moved }, part) => [
    tenantId,
    eventId,
    part,
    streamId,
    toUuid(of.matterId),
    toUuid(of.employeeId),
    of.taskTypeId && toUuid(of.taskTypeId),
    day,
    of.currency,
    ...feeMeasures.flatMap((name) => [moved[name]?.amount ?? '0', moved[name]?.units ?? '0']),
  ]);
}

function flowsOf({ type, data }: BillableEvent<'WorkItem'>): Flow[] {
  switch (type) {
    case 'WorkItemFinalised':
      return flow(data.movement, (finalised) => ({ finalised }));
    case 'WorkItemUnfinalised':
      return flow(data.movement, (finalised) => ({ finalised: negative(finalised) }));
    case 'WorkItemWrittenOff':
      return flow(data.movement, (written_off) => ({ written_off }));
    case 'WorkItemReinstated':
      return flow(data.movement, (written_off) => ({ written_off: negative(written_off) }));
    case 'WorkItemBilled': {
      const { dimensions: of, settlement } = data;
      const { day, billed, writtenOff: written_off, writtenUp: written_up } = settlement;
      return of ? [{ of, day, moved: { billed, written_off, written_up } }] : [];
    }
    case 'WorkItemBillingReversed': {
      const { dimensions: of, settlement } = data;
      if (!of) return [];
      const [billed, written_off, written_up] = [
        ...[settlement.billed, settlement.writtenOff, settlement.writtenUp].map(negative),
      ];
      const back = { of, day: data.day, moved: { billed, written_off } };
      // A write-up is reversed on the day of the write-up itself, not on that of the reversal.
      return isNothing(written_up) ? [back] : [back, { of, day: settlement.day, moved: { written_up } }];
    }
    default:
      return [];
  }
}

function flow(movement: Movement | null, moved: (portion: Portion) => Flow['moved']): Flow[] {
  if (!movement) return [];
  const { day, amount, units, ...of } = movement;
  return [{ of, day, moved: moved({ amount, units }) }];
}

function negative({ amount, units }: Portion): Portion {
  return { amount: text(decimal(amount).neg()), units: text(decimal(units).neg()) };
}

function isNothing({ amount, units }: Portion): boolean {
  return decimal(amount).isZero() && decimal(units).isZero();
}
