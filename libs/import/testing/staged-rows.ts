import type { ImportRun } from '../import-run';
import type { Imports } from './import-parts';
import { stageRow } from './staged-source';

export type StagedRows = Record<string, readonly Record<string, string>[]>;

const INFO = {
  ImportId: 'INFO',
  SchemaVersion: '1.0',
  SourceSystem: 'Ledger',
  CutoverDate: '2026-03-31',
  ExtractedAtUtc: '2026-04-01T06:30:00.0000000',
  BaseCurrency: 'GBP',
  TimeZone: 'Europe/London',
};

/** Creates a staging area with the given rows, by table, and with one row of Info. */
export async function stageRows(
  { client }: Imports,
  { staging }: ImportRun,
  rows: StagedRows,
): Promise<void> {
  await staging.create(client);
  for (const [table, list] of Object.entries({ Info: [INFO], ...rows }))
    for (const row of list) await stageRow(client, staging, table, row);
}
