import type { Folded } from '#event-store/events';
import { type Kind, toId } from '#kernel/ids';
import type { ListQuery } from '#platform/http/input/list-query';
import type { Time } from './list-times';

/** The columns of a read table from which a record is shown and folded further. */
export interface StoredRow {
  id: string;
  version: number;
  created_on: Date;
  created_by: string;
  updated_on: Date;
  updated_by: string;
  // biome-ignore lint/suspicious/noExplicitAny: the area's own state, as its projection wrote it
  state: any;
}

/** A row of a read table: the columns of every record, and the columns that the area joins. */
export interface RecordRow extends StoredRow {
  is_deleted: boolean;
  [joined: string]: unknown;
}

/** Converts a row to the folded record from which its projection wrote it. */
export function foldedRow<State extends object>({ kind }: { kind: Kind }, row: StoredRow): Folded<State> {
  return {
    id: toId(kind, row.id),
    version: row.version,
    audit: {
      createdOn: row.created_on.toISOString(),
      createdBy: row.created_by,
      updatedOn: row.updated_on.toISOString(),
      updatedBy: row.updated_by,
    },
    data: row.state,
  };
}

/** A join of another record's read model, for its columns. */
export interface Join {
  projection: string;
  alias: string;
  /** Column of the record (or of an earlier join) that holds the joined record's id, with its alias: `r.client_id`. */
  on: string;
  columns: Record<string, string>;
}

/**
 * The oldest record of another read model that refers to the listed record, is not deleted and meets a condition. It only
 * supplies columns: lists cannot be sorted or searched by it.
 */
export interface Oldest {
  projection: string;
  alias: string;
  /** Column by which the other record refers to the listed one: `matter_id`. It needs an index with the id as next column. */
  refersBy: string;
  /** Condition on the other record, under its alias; from code, never from a request. */
  where: string;
  columns: Record<string, string>;
}

/** How an area is listed. */
export interface RecordList<Query extends ListQuery, View extends object> {
  kind: Kind;
  projection: string;
  joins?: readonly Join[];
  oldest?: readonly Oldest[];
  /** Columns, with their alias, by the name that `sort` takes. */
  sorts: Record<string, string>;
  /** Default order, as `sort` takes it. */
  order: string;
  /** Aliases of the records whose words `keywords` searches: `r` (the default), that of a joined record, or both. */
  searched?: readonly string[];
  /** The list's own filters by time, in addition to `updatedSince`. */
  times?: Record<string, Time>;
  /** Adds the conditions of a query on the record's own columns, `r`. */
  filter?(query: Query, where: (column: string, operator: string, value: unknown) => void): void;
  view(row: RecordRow): View;
}

// biome-ignore lint/suspicious/noExplicitAny: any area's list
export type AnyList = RecordList<any, any>;
