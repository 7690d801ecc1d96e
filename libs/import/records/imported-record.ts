import { hash } from 'node:crypto';
import type { AnyDefinition } from '#event-store/events';
import type { DomainEvent } from '#kernel/decider';
import type { Id } from '#kernel/ids';
import type { TenantState } from '#practice/tenants/tenant.lookup';
import type { KnownRecords } from './known-records';
import type { Numbers } from './numbers';
import type { RecordIds } from './record-id';
import type { Row } from './row';

/** A row as a record. */
export interface ImportedRecord {
  table: string;
  importId: string;
  definition: AnyDefinition;
  id: Id;
  /** What the row asks for, its parts included; plain JSON, the same of equal rows. */
  wanted: object;
  /** How many rows of other tables are parts of it, by table. */
  parts?: Readonly<Record<string, number>>;
  /** How it comes to be; it takes the numbers that the row leaves open. */
  create(): Creation;
}

/** All that a row is understood by beside itself. */
export interface Ground {
  ids: RecordIds;
  sourceSystem: string;
  settings: TenantState;
  known: KnownRecords;
  numbers: Numbers;
  /** The tenant's default rates are its own: those of the import do not take their place. */
  keepsDefaultRates: boolean;
  /** Today in the tenant's zone: whose tax rates a draft shows that has no date. */
  today: string;
}

export interface Creation {
  events: DomainEvent[];
  /** Numbers that it took, by counter. */
  counters?: Record<string, number>;
}

/** How the rows of a table become records: what a row asks for, and how a record comes to be that. */
export interface Maker<Wanted extends object> {
  table: string;
  definition: AnyDefinition;
  /** Depends on nothing that creating it changes: a number to be given is null here. */
  wanted(row: Row, ground: Ground): Wanted;
  create(wanted: Wanted, ground: Ground): Creation;
  /** How many rows of other tables it takes in, by table. */
  parts?(wanted: Wanted): Record<string, number>;
  /** What later rows must know of it. */
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

/** SHA-256 by which `wanted` is compared with that of an earlier import. */
export function digestOf(wanted: object): Buffer {
  return hash('sha256', JSON.stringify(wanted), 'buffer');
}
