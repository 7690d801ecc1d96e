import type { SourceRow } from '../connection/row-batches';
import type { Column } from '../schema/table';

type Staged = string | null;
type Rendering = (text: string) => string;

/** SQL Server leaves a fraction of nothing out, and a time too where the column is a date. */
const INSTANT = /^(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d:\d\d)(?:\.(\d{1,7}))?)?$/;
const MIDNIGHT = /T00:00:00(\.0+)?$/;

const renderings: Partial<Record<Column['type'], Rendering>> = {
  instant: (text) =>
    text.replace(
      INSTANT,
      (_all, date, time = '00:00:00', fraction = '') => `${date}T${time}.${fraction.padEnd(7, '0')}`,
    ),
  date: (text) => text.replace(MIDNIGHT, ''),
};
/** PostgreSQL has no text with a NUL. */
const withoutNul: Rendering = (text) => (text.includes('\0') ? text.replaceAll('\0', '\ufffd') : text);

/** Rows of the source as they are staged: text, null for what is empty. */
export function stagedValues(columns: readonly Column[]): (row: SourceRow) => Staged[] {
  const byColumn = columns.map(({ type }) => renderings[type] ?? withoutNul);
  return (row) => {
    const staged: Staged[] = new Array(row.length);
    for (let index = 0; index < row.length; index++) {
      const value = row[index];
      staged[index] = value === null || value === '' ? null : byColumn[index](String(value));
    }
    return staged;
  };
}
