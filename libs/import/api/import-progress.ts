import { type ImportStatus, type Step, steps } from '../requests/import-request';

/** The counts of a table on which the progress depends. */
interface Counts {
  name: string;
  total: number | null;
  read: number;
  valid: number;
  loaded: number;
}

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

/** Tables about the import itself: their rows become no records. */
const OF_THE_IMPORT = new Set(['Info', 'ControlTotal']);

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

/** The number of rows that have become records or parts of records, and of those that will. */
export function loadingOf(tables: readonly Counts[]): { loaded: number; valid: number } {
  const becoming = tables.filter(({ name }) => !OF_THE_IMPORT.has(name));
  return { loaded: sum(becoming, 'loaded'), valid: sum(becoming, 'valid') };
}

function readShare(tables: readonly Counts[]): number {
  const total = tables.reduce((all, table) => all + (table.total ?? 0), 0);
  return shareOf(sum(tables, 'read'), total);
}

function loadedShare(tables: readonly Counts[]): number {
  const { loaded, valid } = loadingOf(tables);
  return shareOf(loaded, valid);
}

function shareOf(done: number, all: number): number {
  return Math.min(1, done / Math.max(1, all));
}

function sum(tables: readonly Counts[], count: 'read' | 'valid' | 'loaded'): number {
  return tables.reduce((total, table) => total + table[count], 0);
}
