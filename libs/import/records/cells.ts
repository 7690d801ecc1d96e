import { tables } from '../schema/schema-1.0';
import type { Row } from './row';

const columns = new Map(tables.map((table) => [table.name, table.columns.map(({ name }) => name)]));

/** The cells of a row, in the order of its table's columns: without the values that queries of rows add to them. */
export function cellsOf(table: string, row: Row): (string | null)[] {
  return columns.get(table)!.map((name) => row[name] ?? null);
}
