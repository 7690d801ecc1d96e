import { hash } from 'node:crypto';
import type { AnyDefinition } from '#event-store/events';
import type { DomainEvent } from '#kernel/decider';
import type { Id } from '#kernel/ids';
import type { TenantState } from '#practice/tenants/tenant.lookup';
import type { KnownRecords } from './known-records';
import type { Numbers } from './numbers';
import type { RecordIds } from './record-id';
import type { Row } from './row';

/** The record that a row becomes. */
export interface ImportedRecord {
  table: string;
  importId: string;
  definition: AnyDefinition;
  id: Id;
  /** The content of the record: plain JSON. Some of it may come from other rows, or depend on the day. */
  wanted: object;
  /** What the row and its parts say by themselves: plain JSON, which is identical for equal rows. */
  cells: unknown[];
  /** The number of rows of other tables that are parts of the record, by table. */
  parts?: Readonly<Record<string, number>>;
  /** Yields the events that create the record. Takes the numbers that the row leaves open. */
  create(): Creation;
}

/** The context in which an import's rows are read. */
export interface Ground {
  ids: RecordIds;
  sourceSystem: string;
  settings: TenantState;
  known: KnownRecords;
  numbers: Numbers;
  /** Whether the tenant has default rates of its own, which the import's default rate set does not replace. */
  keepsDefaultRates: boolean;
  /** Today's date in the tenant's time zone. A draft without a date shows the tax rates of this day. */
  today: string;
}

export interface Creation {
  events: DomainEvent[];
  /** The numbers that the record took, by counter. */
  counters?: Record<string, number>;
}

/** Turns the rows of a table into records: reads the wanted content of a row, and creates the record from it. */
export interface Maker<Wanted extends object> {
  table: string;
  definition: AnyDefinition;
  /** Reads a row. The result must not depend on what `create` changes, so a number to be given is null here. */
  wanted(row: Row, ground: Ground): Wanted;
  create(wanted: Wanted, ground: Ground): Creation;
  /** The number of rows of other tables that are parts of the record, by table. */
  parts?(wanted: Wanted): Record<string, number>;
  /** Adds to `known` what later rows must know of the record. */
  learn?(known: KnownRecords, id: Id, wanted: Wanted): void;
}

export function recordOf<Wanted extends object>(
  maker: Pick<Maker<Wanted>, 'table' | 'definition' | 'create' | 'parts'>,
  importId: string,
  id: Id,
  wanted: Wanted,
  cells: unknown[],
  ground: Ground,
): ImportedRecord {
  const { table, definition } = maker;
  const create = () => maker.create(wanted, ground);
  return { table, importId, definition, id, wanted, cells, parts: maker.parts?.(wanted), create };
}

/** The SHA-256 values by which a later import recognises an equal row. */
export interface Digests {
  digest: Buffer;
  cells: Buffer;
}

export function digestsOf({ wanted, cells }: Pick<ImportedRecord, 'wanted' | 'cells'>): Digests {
  return { digest: sha256(wanted), cells: sha256(cells) };
}

function sha256(content: object): Buffer {
  return hash('sha256', JSON.stringify(content), 'buffer');
}
