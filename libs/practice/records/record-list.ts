import type { Kind } from '#kernel/ids';
import type { ListQuery } from '#platform/http/input/list-query';
import type { Time } from './list-times';

/** A read table's row: what every record has, and the area's joined columns. */
export interface RecordRow {
  id: string;
  version: number;
  is_deleted: boolean;
  created_on: Date;
  created_by: string;
  updated_on: Date;
  updated_by: string;
  // biome-ignore lint/suspicious/noExplicitAny: the area's own state, as its projection wrote it
  state: any;
  [joined: string]: unknown;
}

/** A read model joined for the columns of another record. */
export interface Join {
  projection: string;
  alias: string;
  /** Column of the record (or of an earlier join) that holds the joined record's id, with its alias: `r.client_id`. */
  on: string;
  columns: Record<string, string>;
}

/**
 * Of the records of another read model that refer to the one listed, the oldest that is not deleted and meets a
 * condition; for its columns alone: nothing is sorted or searched by it.
 */
export interface Oldest {
  projection: string;
  alias: string;
  /** Column of the other record that refers to the one listed: `matter_id`. An index must lead from it to the lowest id. */
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
  /** Whose words `keywords` searches: the record's own (`r`, as when nothing is said), one joined record's, or both. */
  searched?: readonly string[];
  /** The filters by time, beside `updatedSince`. */
  times?: Record<string, Time>;
  /** Conditions on the record's own columns, `r`. */
  filter?(query: Query, where: (column: string, operator: string, value: unknown) => void): void;
  view(row: RecordRow): View;
}

// biome-ignore lint/suspicious/noExplicitAny: any area's list
export type AnyList = RecordList<any, any>;
