import type { Folded } from '#event-store/events';
import type { Id } from '#kernel/ids';
import type { BillableState } from '#practice/billable/billable';
import type { InvoiceLine } from '#practice/invoices/invoice.events';
import type { Sources } from '#practice/invoices/invoice.sources';
import type { Charge } from './billing';
import { type Ground, type ImportedRecord, recordOf } from './imported-record';
import { invoices, linesOf, type SourceLine, type WantedInvoice, wantedInvoice } from './invoice-records';
import { NOBODY } from './known-records';
import { needed, type Row } from './row';
import {
  costRecoveries,
  newCost,
  newWorkItem,
  type WantedCost,
  type WantedWorkItem,
  wantedCost,
  wantedWorkItem,
  workItems,
} from './work-records';

/** A record that a line charges, before it is known for how much. */
type Source = {
  id: Id;
  importId: string;
  /** As it was recorded. */
  state: BillableState;
} & ({ item: WantedWorkItem } | { cost: WantedCost });

/**
 * An invoice with all that it charges; of one that was voided only itself: what it charged can be billed another time.
 * @param row whose `lines` are SourceLines, as JSON, by key
 */
export function* billedRecords(row: Row, ground: Ground): Generator<ImportedRecord> {
  const importId = needed(row, 'ImportId');
  const id = ground.ids.of('Invoice', importId);
  const charged = linesOf(row).flatMap((line) => sourceOf(line, ground) ?? []);
  const sources: Sources = new Map(charged.map((source) => [source.id, folded(source)]));
  const wanted = wantedInvoice(row, sources, ground);
  for (const { taxCodeId } of wanted.issued ? wanted.taxation.rates : [])
    ground.known.charged(taxCodeId, wanted.issued!.issueDate);
  yield recordOf(invoices, importId, id, wanted, ground);
  if (wanted.state === 'Voided') return;
  const lines = new Map(wanted.lines.map((line) => [line.sourceId, line]));
  for (const source of charged)
    yield sourceRecord(source, chargeOf(id, wanted, lines.get(source.id)!), ground);
}

function sourceOf({ line, item, cost }: SourceLine, ground: Ground): Source | undefined {
  const { ids } = ground;
  if (item !== null) {
    const importId = needed(item, 'ImportId');
    const wanted = wantedWorkItem(item, ground, null);
    return { id: ids.of('WorkItem', importId), importId, state: newWorkItem(wanted), item: wanted };
  }
  if (cost !== null) {
    const importId = needed(cost, 'ImportId');
    const wanted = wantedCost(cost, ground, null);
    return { id: ids.of('CostRecovery', importId), importId, state: newCost(wanted), cost: wanted };
  }
  if (line.WorkItemId !== null || line.CostRecoveryId !== null)
    throw new Error(`What line ${line.ImportId} charges is no row of the import`);
  return undefined;
}

function folded({ id, state }: Source): Folded<BillableState> {
  return { id, version: 1, audit: NOBODY, data: state };
}

function chargeOf(invoiceId: string, { issued }: WantedInvoice, { amount, units }: InvoiceLine): Charge {
  return { invoiceId, day: issued?.issueDate ?? null, charged: { amount, units: units! } };
}

function sourceRecord(source: Source, charge: Charge, ground: Ground): ImportedRecord {
  const { id, importId } = source;
  if ('item' in source) return recordOf(workItems, importId, id, { ...source.item, charge }, ground);
  return recordOf(costRecoveries, importId, id, { ...source.cost, charge }, ground);
}
