import type { ClientBase } from 'pg';
import { dayIn } from '#kernel/zone';
import { CLIENT_NUMBER } from '#practice/clients/client';
import { INVOICE_NUMBER } from '#practice/invoices/invoice';
import { MATTER_NUMBER } from '#practice/matters/matter';
import type { ImportRun } from '../import-run';
import type { StagingArea } from '../staging/staging-area';
import { billedRecords } from './billed-records';
import { cellsOf } from './cells';
import { type ExistingRecords, isOwn } from './existing-records';
import { type Ground, type ImportedRecord, type Maker, recordOf } from './imported-record';
import { KnownRecords } from './known-records';
import { matters } from './matter-records';
import { Numbers } from './numbers';
import { clients, employees, entities, suppliers } from './people-records';
import { applicableRates, rateSets } from './rate-records';
import { RecordIds } from './record-id';
import {
  deletedTaxCodes,
  invoiceRows,
  lastNumber,
  matterTypeRows,
  plainRows,
  rateSetRows,
  taxCodeRows,
  unchargedRows,
} from './record-queries';
import { disbursementCodes, divisions, matterTypes, roles, taskTypes, taxCodes } from './reference-records';
import { needed, type Row } from './row';
import { pagesOf } from './staging-rows';
import { costRecoveries, workItems } from './work-records';

type Run = Pick<ImportRun, 'tenant' | 'staging' | 'signal'>;
type Query = (staging: StagingArea) => string;

const PAGE = 2_000;
/** Fewer invoices to a page, as each can have a thousand lines. */
const INVOICE_PAGE = 50;

/** The tables before the invoices. A table comes after those to which its rows can refer. */
const before: readonly (readonly [Maker<object>, Query?])[] = [
  [divisions],
  [matterTypes, matterTypeRows],
  [roles],
  [taskTypes],
  [taxCodes, taxCodeRows],
  [disbursementCodes],
  [entities],
  [employees],
  [clients],
  [suppliers],
  [rateSets, rateSetRows],
  [matters],
  [applicableRates],
];

/** The work and costs that no invoice charges. They come after the invoices, which bring what they charge. */
const after: readonly (readonly [Maker<object>, Query])[] = [
  [workItems, (staging) => unchargedRows(staging, 'WorkItem')],
  [costRecoveries, (staging) => unchargedRows(staging, 'CostRecovery')],
];

/**
 * The context in which an import's rows are read. Must be complete before the first row is read.
 * @param counters the last numbers of counters that do not go on from those of the tenant
 */
export async function groundOf(
  client: ClientBase,
  { tenant, staging }: Run,
  existing: ExistingRecords,
  now: Date,
  counters: Readonly<Record<string, number>> = {},
): Promise<Ground> {
  const { rows } = await client.query(`select i.* from ${staging.table('Info')} i limit 1`);
  if (rows.length === 0) throw new Error('Info has no row');
  const sourceSystem = needed(rows[0], 'SourceSystem');
  const settings = await existing.settings(tenant);
  const known = new KnownRecords();
  known.deletedTaxCodes = await deletedTaxCodes(client, staging);
  const used = { ...(await existing.counters(tenant)), ...counters };
  for (const [counter, table, column] of [
    [CLIENT_NUMBER, 'Client', 'ClientNumber'],
    [MATTER_NUMBER, 'Matter', 'MatterNumber'],
    [INVOICE_NUMBER, 'Invoice', 'Number'],
  ]) {
    const { rows: last } = await client.query<{ last: string | null }>(lastNumber(staging, table, column));
    used[counter] = Math.max(used[counter] ?? 0, Number(last[0].last ?? 0));
  }
  return {
    ids: new RecordIds(tenant.streamId, sourceSystem),
    sourceSystem,
    settings,
    known,
    keepsDefaultRates: isOwn(await existing.defaultRates(tenant)),
    numbers: new Numbers(used),
    today: dayIn(settings.timeZone, now),
  };
}

/**
 * All records of an import in the order in which they can be created, which is always the same. Memory use is constant,
 * apart from what `ground.known` collects. The connection must not be used otherwise until the last record.
 * @param unsound called with the reason why a row makes no record; the row is then skipped. Default: throws it
 * @throws the reason of the signal; by default DomainError when a decider refuses what the validation has accepted
 */
export async function* recordsOf(
  client: ClientBase,
  { staging, signal }: Run,
  ground: Ground,
  unsound: (error: unknown) => void = (error) => {
    throw error;
  },
): AsyncGenerator<ImportedRecord> {
  const rest = [signal, ground, unsound] as const;
  for (const [maker, query = (area: StagingArea) => plainRows(area, maker.table)] of before)
    yield* made(client, maker, query(staging), ...rest);
  for await (const page of pagesOf(client, invoiceRows(staging), INVOICE_PAGE, signal))
    for (const row of page) yield* attempted(() => billedRecords(row, ground), unsound);
  for (const [maker, query] of after) yield* made(client, maker, query(staging), ...rest);
}

async function* made(
  client: ClientBase,
  maker: Maker<object>,
  query: string,
  signal: AbortSignal,
  ground: Ground,
  unsound: (error: unknown) => void,
): AsyncGenerator<ImportedRecord> {
  for await (const page of pagesOf(client, query, PAGE, signal))
    for (const row of page) yield* attempted(() => recordFrom(maker, row, ground), unsound);
}

function* recordFrom(maker: Maker<object>, row: Row, ground: Ground): Generator<ImportedRecord> {
  const importId = needed(row, 'ImportId');
  const id = ground.ids.of(maker.table, importId);
  const wanted = maker.wanted(row, ground);
  const parts = Object.values(row).filter((value) => Array.isArray(value));
  yield recordOf(maker, importId, id, wanted, [cellsOf(maker.table, row), ...parts], ground);
  maker.learn?.(ground.known, id, wanted);
}

/** Passes the records on. Reports only errors of making a record, not those of the caller that works on one. */
function* attempted(
  records: () => Generator<ImportedRecord>,
  unsound: (error: unknown) => void,
): Generator<ImportedRecord> {
  const all = records();
  for (;;) {
    let next: IteratorResult<ImportedRecord>;
    try {
      next = all.next();
    } catch (error) {
      unsound(error);
      return;
    }
    if (next.done) return;
    yield next.value;
  }
}
