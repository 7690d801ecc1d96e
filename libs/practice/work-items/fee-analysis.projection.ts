import type { RecordedEvent } from '#event-store/events';
import { toUuid } from '#kernel/ids';
import { decimal, text } from '#kernel/money';
import type { Projection, ReadRow } from '#projections/projection';
import { writeRows } from '#projections/write-rows';
import type { Movement } from './work-item.events';

/** The measure that an event moves, and in which direction. */
const FLOWS = {
  WorkItemFinalised: { measure: 'finalised', sign: 1 },
  WorkItemUnfinalised: { measure: 'finalised', sign: -1 },
  WorkItemWrittenOff: { measure: 'written_off', sign: 1 },
  WorkItemReinstated: { measure: 'written_off', sign: -1 },
} as const;

interface Fact {
  tenant_id: number;
  id: string;
  work_item_id: string;
  matter_id: string;
  employee_id: string;
  day: string;
  currency: string;
  finalised: string;
  finalised_units: string;
  written_off: string;
  written_off_units: string;
}

const table = {
  name: 'fee_analysis',
  columns: {
    tenant_id: 'int',
    id: 'uuid',
    work_item_id: 'uuid',
    matter_id: 'uuid',
    employee_id: 'uuid',
    day: 'date',
    currency: 'text',
    finalised: 'numeric',
    finalised_units: 'numeric',
    written_off: 'numeric',
    written_off_units: 'numeric',
  } satisfies Record<keyof Fact, string>,
  key: ['tenant_id', 'id'],
  stream: 'work_item_id',
};
const names = Object.keys(table.columns) as (keyof Fact)[];

const rowsOf = (events: readonly RecordedEvent[]): ReadRow[] =>
  events.flatMap(factsOf).map((fact) => names.map((name) => fact[name]));

/** One fact a movement, never updated: every measure is a flow with its sign. @see resources.md: Fee analysis measures */
export const feeAnalysisProjection: Projection = {
  name: 'fee-analysis',
  version: 1,
  tables: [table],
  eventTypes: new Set(Object.keys(FLOWS)),
  apply: (client, generation, events) => writeRows(client, table, generation, rowsOf(events), 'fail'),
  rows: (events) => [rowsOf(events)],
};

function factsOf({ tenantId, eventId, streamId, event }: RecordedEvent): Fact[] {
  const flow = FLOWS[event.type as keyof typeof FLOWS];
  const { movement } = event.data as { movement: Movement | null };
  if (!flow || !movement) return [];
  const signed = (value: string) => text(decimal(value).mul(flow.sign));
  const none = { finalised: '0', finalised_units: '0', written_off: '0', written_off_units: '0' };
  return [
    {
      tenant_id: tenantId,
      id: eventId,
      work_item_id: streamId,
      matter_id: toUuid(movement.matterId),
      employee_id: toUuid(movement.employeeId),
      day: movement.day,
      currency: movement.currency,
      ...none,
      [flow.measure]: signed(movement.amount),
      [`${flow.measure}_units`]: signed(movement.units),
    },
  ];
}
