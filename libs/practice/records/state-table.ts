import type { PoolClient } from 'pg';
import { type Folded, fold, type RecordedEvent } from '#event-store/events';
import type { DomainEvent, StreamDefinition } from '#kernel/decider';
import { type Kind, toUuid } from '#kernel/ids';
import { sentBytes } from '#platform/database/sent-bytes';
import type { Derived, Projection, ReadRow, ReadTable } from '#projections/projection';
import { writeRows } from '#projections/write-rows';
import type { RecordState } from './record';
import { foldedRow, type StoredRow } from './record-list';
import { searchOf } from './words';

/** A column of an area's read table beside those that every record has: its SQL type and its value. */
export interface Column<State> {
  type: string;
  value(state: State): unknown;
}

/** A column that holds another record's UUID, from its prefixed id. */
export function reference<State>(id: (state: State) => string | null | undefined): Column<State> {
  return {
    type: 'uuid',
    value: (state) => {
      const text = id(state);
      return text ? toUuid(text) : null;
    },
  };
}

export function column<State>(type: string, value: (state: State) => unknown): Column<State> {
  return { type, value };
}

/** The name of a projection's read table. */
export function tableOf(projection: string): string {
  return projection.replaceAll('-', '_');
}

/**
 * Bytes of stored states that one round fetches; the last one may go past it. The objects parsed from them take several
 * times as much memory.
 */
const STATES_AT_ONCE = 16 * 1024 * 1024;

/** The columns that every read table has, apart from the generation. */
const COMMON: Record<string, string> = {
  tenant_id: 'int',
  id: 'uuid',
  version: 'int',
  is_deleted: 'boolean',
  created_on: 'timestamptz',
  created_by: 'text',
  updated_on: 'timestamptz',
  updated_by: 'text',
  external_reference: 'text',
  changed_epoch: 'int',
  changed_transaction_id: 'xid8',
  changed_position: 'bigint',
  state: 'json',
  search: 'tsvector',
};

/** The properties of an area's read table, in addition to those of every read table. */
interface Shape<State> {
  name: string;
  version: number;
  columns: Record<string, Column<State>>;
  /** The texts by whose words `keywords` finds the record. */
  words(state: State): (string | null | undefined)[];
  derived?: Derived;
}

/**
 * The projection of an area's read table. Each record has a row with its folded state, and with the columns by which lists
 * filter, sort and join.
 */
export function stateTable<State extends RecordState, Event extends DomainEvent>(
  definition: StreamDefinition<State, Event>,
  shape: Shape<State>,
): Projection {
  const types = Object.entries(shape.columns).map(([name, { type }]) => [name, type]);
  const table: ReadTable = {
    name: tableOf(shape.name),
    columns: { ...COMMON, ...Object.fromEntries(types) },
    key: ['tenant_id', 'id'],
    stream: 'id',
  };
  const own = Object.values(shape.columns);
  function rowOf(state: Folded<State>, lastEvent: RecordedEvent): ReadRow {
    const row = commonValues(definition, state, lastEvent, shape.words(state.data));
    for (const { value } of own) row.push(value(state.data));
    return row;
  }

  return {
    name: shape.name,
    version: shape.version,
    tables: [table],
    derived: shape.derived,
    eventTypes: new Set(Object.keys(definition.events)),
    async apply(client, generation, events) {
      for (let left = events; left.length > 0; ) {
        const states = await storedStates<State>(client, definition, table, generation, left);
        const { last, postponed } = foldBatch(definition, states, left);
        const rows = [...last].map(([key, recorded]) => rowOf(states.get(key)!, recorded));
        await writeRows(client, table, generation, rows, 'update', shape.derived);
        left = postponed;
      }
    },
    ofStream() {
      let state: Folded<State> | undefined;
      let last: RecordedEvent;
      return {
        add(recorded) {
          state = next(definition, state, recorded);
          last = recorded;
        },
        rows: () => [[rowOf(state!, last)]],
      };
    },
  };
}

/**
 * The stored state of each record that the events change, by `keyOf`. A record whose first event is among them has no
 * entry; one whose state would exceed STATES_AT_ONCE has undefined, and is for the next round.
 */
async function storedStates<State extends RecordState>(
  client: PoolClient,
  definition: { kind: Kind },
  table: ReadTable,
  generation: number,
  events: readonly RecordedEvent[],
): Promise<Map<string, Folded<State> | undefined>> {
  const streams = firstOfEach(events).filter(({ version }) => version > 1);
  if (streams.length === 0) return new Map();
  // No statement name: a plan cached while the table was empty would scan all of it for each batch of a first load.
  const { rows } = await client.query<StoredRow & { tenant_id: number }>(
    `select t.tenant_id, id, version, created_on, created_by, updated_on, updated_by,
       case when sum(${sentBytes('state')}) over (order by place rows unbounded preceding) - ${sentBytes('state')}
         < ${STATES_AT_ONCE} then state end as state
     from unnest($2::int[], $3::uuid[]) with ordinality as a(tenant, stream, place)
     join read_model.${table.name} t on t.generation = $1 and t.tenant_id = a.tenant and t.id = a.stream`,
    [generation, streams.map(({ tenantId }) => tenantId), streams.map(({ streamId }) => streamId)],
  );
  return new Map(
    rows.map((row) => [
      keyOf({ tenantId: row.tenant_id, streamId: row.id }),
      row.state ? foldedRow<State>(definition, row) : undefined,
    ]),
  );
}

/**
 * Folds a batch of events into `states`, in place.
 * @returns by `keyOf`, the last event folded into each record that changed; and the events of the records whose state
 *   was not fetched
 */
function foldBatch<State extends RecordState, Event extends DomainEvent>(
  definition: StreamDefinition<State, Event>,
  states: Map<string, Folded<State> | undefined>,
  events: readonly RecordedEvent[],
) {
  const last = new Map<string, RecordedEvent>();
  const postponed: RecordedEvent[] = [];
  for (const recorded of events) {
    const key = keyOf(recorded);
    const before = states.get(key);
    if (!before && states.has(key)) {
      postponed.push(recorded);
      continue;
    }
    // The stored row was built from this event already.
    if (before && before.version >= recorded.version) continue;
    states.set(key, next(definition, before, recorded));
    last.set(key, recorded);
  }
  return { last, postponed };
}

/** A record's state after its next event. @throws Error when an event is missing between them */
function next<State extends RecordState, Event extends DomainEvent>(
  definition: StreamDefinition<State, Event>,
  before: Folded<State> | undefined,
  recorded: RecordedEvent,
): Folded<State> {
  if (recorded.version !== (before?.version ?? 0) + 1) {
    throw new Error(
      `${definition.kind} ${recorded.streamId}: event ${recorded.version} follows ${before?.version ?? 0}`,
    );
  }
  return fold(definition, before, recorded as RecordedEvent<Event>);
}

/** The values of the columns in COMMON, in their order. */
function commonValues<State extends RecordState>(
  definition: { isDeleted(state: State): boolean },
  { version, audit, data }: Folded<State>,
  { tenantId, streamId, at }: RecordedEvent,
  words: (string | null | undefined)[],
): unknown[] {
  return [
    tenantId,
    streamId,
    version,
    definition.isDeleted(data),
    audit.createdOn,
    audit.createdBy,
    audit.updatedOn,
    audit.updatedBy,
    data.externalReference,
    at.epoch,
    at.transactionId.toString(),
    at.position.toString(),
    data,
    searchOf(words),
  ];
}

/** The first event of each stream in a batch. */
function firstOfEach(events: readonly RecordedEvent[]): RecordedEvent[] {
  const firsts = new Map<string, RecordedEvent>();
  for (const recorded of events) {
    const key = keyOf(recorded);
    if (!firsts.has(key)) firsts.set(key, recorded);
  }
  return [...firsts.values()];
}

/** Names a record within a batch. The id alone would not: an import gives it the same one in the staging tenant as in production. */
function keyOf({ tenantId, streamId }: Pick<RecordedEvent, 'tenantId' | 'streamId'>): string {
  return `${tenantId}/${streamId}`;
}
