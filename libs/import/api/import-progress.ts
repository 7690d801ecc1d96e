import type { TableCounts } from '../import-run';
import { type ImportStatus, type Step, steps } from '../requests/import-request';

type Counts = Pick<TableCounts, 'read' | 'valid' | 'loaded'> & { total: number | null };

/** The percentage at which each step begins: extraction and loading take nearly all of the time. */
const begins: Record<Step, number> = {
  Queued: 0,
  Connecting: 0,
  CheckingSchema: 1,
  Extracting: 2,
  Validating: 40,
  Loading: 50,
  Reconciling: 95,
};

/** The percentage of a promotion at which all records are appended. */
const PROMOTED_AT = 60;

/** The progress of an import or a promotion, in percent. */
export function percentOf(status: ImportStatus, tables: readonly Counts[]): number {
  if (status === 'PromotionQueued') return 0;
  if (status === 'Promoting') return Math.floor(PROMOTED_AT * loadedShare(tables));
  const at = steps.indexOf(status as Step);
  // An import that has ended is at 100, whatever its outcome.
  if (at < 0) return 100;
  const begin = begins[status as Step];
  const width = (begins[steps[at + 1]] ?? 100) - begin;
  const share = status === 'Extracting' ? readShare(tables) : status === 'Loading' ? loadedShare(tables) : 0;
  return Math.floor(begin + width * share);
}

function readShare(tables: readonly Counts[]): number {
  return shareOf(
    tables,
    ({ read }) => read,
    ({ total }) => total ?? 0,
  );
}

function loadedShare(tables: readonly Counts[]): number {
  return shareOf(
    tables,
    ({ loaded }) => loaded,
    ({ valid }) => valid,
  );
}

function shareOf(
  tables: readonly Counts[],
  done: (table: Counts) => number,
  all: (table: Counts) => number,
): number {
  const sum = (count: (table: Counts) => number) => tables.reduce((total, table) => total + count(table), 0);
  return Math.min(1, sum(done) / Math.max(1, sum(all)));
}
