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
  /** The record according to the row and its parts: plain JSON, the same for equal rows. */
  wanted: object;
  /** The number of rows of other tables that are parts of the record, by table. */
  parts?: Readonly<Record<string, number>>;
  /** Creates the record's events. Assigns the numbers that the row leaves open. */
  create(): Creation;
}

/** The context in which a row is read. */
export interface Ground {
  ids: RecordIds;
  sourceSystem: string;
  settings: TenantState;
  known: KnownRecords;
  numbers: Numbers;
  /** The tenant has default rates of its own, which those of the import do not replace. */
  keepsDefaultRates: boolean;
  /** Today in the tenant's zone: a draft without a date shows the tax rates of this day. */
  today: string;
}

export interface Creation {
  events: DomainEvent[];
  /** The numbers that the record has taken, by counter. */
  counters?: Record<string, number>;
}

/** How the rows of a table become records. */
export interface Maker<Wanted extends object> {
  table: string;
  definition: AnyDefinition;
  /** The record according to its row. Must not depend on anything that `create` changes: an open number is null. */
  wanted(row: Row, ground: Ground): Wanted;
  create(wanted: Wanted, ground: Ground): Creation;
  /** The number of rows of other tables that are parts of the record, by table. */
  parts?(wanted: Wanted): Record<string, number>;
  /** Remembers what later rows must know of the record. */
  learn?(known: KnownRecords, id: Id, wanted: Wanted): void;
}

export function recordOf<Wanted extends object>(
  maker: Pick<Maker<Wanted>, 'table' | 'definition' | 'create' | 'parts'>,
  importId: string,
  id: Id,
  wanted: Wanted,
  ground: Ground,
): ImportedRecord {
  const { table, definition } = maker;
  const create = () => maker.create(wanted, ground);
  return { table, importId, definition, id, wanted, parts: maker.parts?.(wanted), create };
}

/** A SHA-256 digest of `wanted`, by which it is compared with that of an earlier import. */
export function digestOf(wanted: object): Buffer {
  return hash('sha256', JSON.stringify(wanted), 'buffer');
}
