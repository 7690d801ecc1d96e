import Decimal from 'decimal.js';

/** An event as stored, with its personal fields decrypted. */
export interface NaiveEvent {
  tenant: string;
  stream: string;
  version: number;
  type: string;
  // biome-ignore lint/suspicious/noExplicitAny: the data of any event
  data: any;
  id: string;
  by: string;
  /** ISO 8601 UTC. */
  on: string;
  /** epoch, transaction id, position */
  at: [string, string, string];
}

/** A row whose values are texts or null. `state` is an object of such values. */
export type NaiveRow = Record<string, unknown>;

// biome-ignore lint/suspicious/noExplicitAny: the state of any record
type State = any;

/** The initial state of each record, before the data of its first event is applied. */
const beginnings: Record<string, (data: State) => State> = {
  DivisionCreated: () => ({ state: 1 }),
  EntityCreated: () => ({ roleIds: [], anonymisedOn: null }),
  MatterCreated: () => ({ state: 1, dateClosed: null, dateArchived: null }),
  WorkItemCreated: ({ total, units }) => ({
    state: 0,
    invoiceId: null,
    settlement: null,
    remaining: total,
    remainingUnits: units,
  }),
};

/** The changes of state by each further event that is more than a change of fields. */
const steps: Record<string, (state: State, data: State) => object> = {
  DivisionActivated: () => ({ state: 1 }),
  DivisionDeactivated: () => ({ state: 2 }),
  MatterClosed: (_, { dateClosed }) => ({ state: 2, dateClosed }),
  MatterReopened: () => ({ state: 1, dateClosed: null }),
  MatterArchived: (_, { dateArchived }) => ({ state: 3, dateArchived }),
  WorkItemFinalised: () => ({ state: 1 }),
  WorkItemUnfinalised: () => ({ state: 0 }),
  WorkItemWrittenOff({ state, remaining, remainingUnits }, { amount, units }) {
    const left = [new Decimal(remaining).sub(amount), new Decimal(remainingUnits).sub(units)];
    const [money, time] = left.map((value) => value.toFixed());
    return {
      state: left.every((value) => value.isZero()) ? 3 : state,
      remaining: money,
      remainingUnits: time,
    };
  },
  WorkItemReserved: (_, { invoiceId }) => ({ invoiceId }),
  WorkItemReleased: () => ({ invoiceId: null }),
  WorkItemBilled: ({ remaining, remainingUnits }, { invoiceId, settlement }) => ({
    invoiceId,
    state: 2,
    remaining: '0',
    remainingUnits: '0',
    settlement: { ...settlement, before: { amount: remaining, units: remainingUnits } },
  }),
  WorkItemBillingReversed: ({ settlement }, { invoiceId, reserved }) => ({
    invoiceId: reserved ? invoiceId : null,
    settlement: null,
    state: 1,
    remaining: settlement.before.amount,
    remainingUnits: settlement.before.units,
  }),
  WorkItemReinstated: ({ remaining, remainingUnits }, { amount, units }) => ({
    state: 1,
    remaining: new Decimal(remaining).add(amount).toFixed(),
    remainingUnits: new Decimal(remainingUnits).add(units).toFixed(),
  }),
};

const uuid = (id: string | null | undefined) =>
  id?.slice(id.indexOf('_') + 1).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5') ?? null;
const decimal = (value: string, places = 4) => new Decimal(value).toFixed(places);

/** The own columns of each read model. */
const columns: Record<string, (state: State) => NaiveRow> = {
  Division: ({ code, name, state, isDefault }) => ({
    code,
    name,
    division_state: state,
    is_default: isDefault,
  }),
  Entity: ({ entityType, name, lastName, firstName, email }) => ({
    entity_type: entityType,
    sort_name: name ?? [lastName, firstName].filter(Boolean).join(', '),
    full_name: name ?? [firstName, lastName].filter(Boolean).join(' '),
    email,
    role_ids: null,
  }),
  Matter: (state) => ({
    client_id: uuid(state.clientId),
    division_id: uuid(state.divisionId),
    matter_type_id: null,
    matter_number: state.matterNumber,
    title: state.title,
    matter_state: state.state,
    responsible_person_id: uuid(state.responsiblePersonId),
    acting_person_id: uuid(state.actingPersonId),
    assisting_person_id: uuid(state.assistingPersonId),
    billing_contact_id: uuid(state.billingContactId),
    date_opened: state.dateOpened,
  }),
  WorkItem: (state) => ({
    entry_date: state.entryDate,
    entry_day: state.entryDay,
    matter_id: uuid(state.matterId),
    employee_id: uuid(state.employeeId),
    task_type_id: null,
    invoice_id: uuid(state.invoiceId),
    item_type: state.itemType,
    item_state: state.state,
    is_billable: state.isBillable,
    title: state.title,
    currency: state.rate.currency,
    rate: decimal(state.rate.amount, 10),
    units: decimal(state.units),
    unit_minutes: decimal(state.minutesPerUnit),
    duration_ticks: state.durationTicks,
    total: decimal(state.total),
    total_base: decimal(state.total),
    remaining: decimal(state.remaining),
  }),
};

/**
 * The rows of a read model of records after the given events, by tenant and stream. They are computed without any code
 * of the projections.
 */
export function naiveRecords(kind: string, events: readonly NaiveEvent[]): NaiveRow[] {
  const records = new Map<string, { state: State; first: NaiveEvent; last: NaiveEvent }>();
  for (const event of events.filter(({ type }) => type.startsWith(kind))) {
    const before = records.get(event.stream);
    records.set(event.stream, {
      state: after(before?.state, event),
      first: before?.first ?? event,
      last: event,
    });
  }
  return [...records.values()].map(({ state, first, last }) => ({
    tenant: last.tenant,
    id: last.stream,
    version: last.version,
    is_deleted: state.isDeleted,
    created_on: first.on,
    created_by: first.by,
    updated_on: last.on,
    updated_by: last.by,
    external_reference: state.externalReference,
    state,
    changed_epoch: last.at[0],
    changed_transaction_id: last.at[1],
    changed_position: last.at[2],
    ...columns[kind](state),
  }));
}

function after(state: State, { type, data }: NaiveEvent): State {
  if (type in beginnings) return { isDeleted: false, ...beginnings[type](data), ...data };
  if (type.endsWith('Deleted')) return { ...state, isDeleted: true };
  if (type in steps) return { ...state, ...steps[type](state, data) };
  const changed = { ...state, ...data };
  const revalued = type === 'WorkItemUpdated' && (data.total ?? data.units) !== undefined;
  return revalued ? { ...changed, remaining: changed.total, remainingUnits: changed.units } : changed;
}

const names = ['finalised', 'billed', 'written_off', 'written_up'] as const;
type Flow = { day: string; amounts: Partial<Record<(typeof names)[number], string[]>> };

/** The measures that each event changes, in money and in units. The dimensions are in the event itself. */
const flows: Record<string, (data: State) => Flow[]> = {
  WorkItemFinalised: ({ movement }) => moved(movement, 'finalised', 1),
  WorkItemUnfinalised: ({ movement }) => moved(movement, 'finalised', -1),
  WorkItemWrittenOff: ({ movement }) => moved(movement, 'written_off', 1),
  WorkItemReinstated: ({ movement }) => moved(movement, 'written_off', -1),
  WorkItemBilled: ({ settlement }) => [{ day: settlement.day, amounts: settled(settlement, 1) }],
  WorkItemBillingReversed({ day, settlement }) {
    const { written_up, ...rest } = settled(settlement, -1);
    const above = written_up!.some((value) => !new Decimal(value).isZero());
    return [{ day, amounts: rest }, ...(above ? [{ day: settlement.day, amounts: { written_up } }] : [])];
  },
};

function moved(movement: State, name: (typeof names)[number], sign: number): Flow[] {
  return [{ day: movement.day, amounts: { [name]: pair(movement, sign) } }];
}

function settled({ billed, writtenOff, writtenUp }: State, sign: number): Flow['amounts'] {
  return {
    billed: pair(billed, sign),
    written_off: pair(writtenOff, sign),
    written_up: pair(writtenUp, sign),
  };
}

function pair({ amount, units }: State, sign: number): string[] {
  return [amount, units].map((value) => new Decimal(value).mul(sign).toFixed());
}

/** The facts of fee analysis after the given events. */
export function naiveFacts(events: readonly NaiveEvent[]): NaiveRow[] {
  return events.flatMap(({ tenant, id, stream, type, data }) => {
    const of = data.movement ?? data.dimensions;
    if (!(type in flows) || !of) return [];
    return flows[type](data).map(({ day, amounts }, part) => {
      const measures: NaiveRow = {};
      for (const name of names) {
        const [amount, units] = amounts[name] ?? ['0', '0'];
        measures[name] = new Decimal(amount).add(0).toFixed(4);
        measures[`${name}_units`] = new Decimal(units).add(0).toFixed(4);
      }
      return {
        tenant,
        id,
        part,
        work_item_id: stream,
        matter_id: uuid(of.matterId),
        employee_id: uuid(of.employeeId),
        task_type_id: uuid(of.taskTypeId),
        day,
        currency: of.currency,
        ...measures,
      };
    });
  });
}
