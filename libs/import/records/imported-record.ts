import { hash } from 'node:crypto';
import type { NewStream } from '#event-store/append-bulk';
import type { AnyDefinition } from '#event-store/events';
import type { DomainEvent } from '#kernel/decider';
import type { Id } from '#kernel/ids';
import type { TenantState } from '#practice/tenants/tenant.lookup';
import type { KnownRecords } from './known-records';
import type { Numbers } from './numbers';
import type { RecordIds } from './record-id';
import type { Row } from './row';

/** A row as a record, with the events that create it. */
export class ImportedRecord<Wanted extends object = object> implements NewStream {
  readonly table: string;
  readonly definition: AnyDefinition;
  readonly events: DomainEvent[];
  readonly counters?: Record<string, number>;
  /** How many rows of other tables are parts of it, by table. */
  readonly parts?: Readonly<Record<string, number>>;

  /** @param wanted what the row asks for */
  constructor(
    { table, definition }: Pick<Maker<Wanted>, 'table' | 'definition'>,
    readonly importId: string,
    readonly id: Id,
    readonly wanted: Wanted,
    { events, counters, parts }: Creation,
  ) {
    this.table = table;
    this.definition = definition;
    this.events = events;
    this.counters = counters;
    this.parts = parts;
  }

  /** Of what the row asks for: the same of equal rows, their parts included. SHA-256, base64; worked out when asked for. */
  get digest(): string {
    return hash('sha256', JSON.stringify(this.wanted), 'base64');
  }
}

/** All that a row is understood by beside itself. */
export interface Ground {
  ids: RecordIds;
  sourceSystem: string;
  settings: TenantState;
  known: KnownRecords;
  numbers: Numbers;
  /** Today in the tenant's zone: whose tax rates a draft shows that has no date. */
  today: string;
}

export interface Creation {
  events: DomainEvent[];
  /** Numbers that it took, by counter. */
  counters?: Record<string, number>;
  /** How many rows of other tables are parts of it, by table. */
  parts?: Record<string, number>;
}

/** How the rows of a table become records: what a row asks for, and how a record comes to be that. */
export interface Maker<Wanted extends object> {
  table: string;
  definition: AnyDefinition;
  /** Depends on nothing that creating it changes: a number to be given is null here. */
  wanted(row: Row, ground: Ground): Wanted;
  create(wanted: Wanted, ground: Ground): Creation;
  /** What later rows must know of it. */
  learn?(known: KnownRecords, id: Id, wanted: Wanted): void;
}

/** Of a record that no integration has brought. */
export const noReference = { externalReference: null, referenceOwner: null };

export function recordOf<Wanted extends object>(
  maker: Pick<Maker<Wanted>, 'table' | 'definition' | 'create'>,
  importId: string,
  id: Id,
  wanted: Wanted,
  ground: Ground,
): ImportedRecord<Wanted> {
  return new ImportedRecord(maker, importId, id, wanted, maker.create(wanted, ground));
}
