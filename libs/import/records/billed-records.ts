import type { Folded } from '#event-store/events';
import type { Id } from '#kernel/ids';
import type { BillableState } from '#practice/billable/billable';
import type { InvoiceLine } from '#practice/invoices/invoice.events';
import type { Sources } from '#practice/invoices/invoice.sources';
import type { Charge, Course } from './billing';
import { cellsOf } from './cells';
import { type Ground, type ImportedRecord, recordOf } from './imported-record';
import { invoices, linesOf, type SourceLine, type WantedInvoice, wantedInvoice } from './invoice-records';
import { NOBODY } from './known-records';
import { partsOf } from './reference-records';
import { needed, type Row } from './row';
import { type BillableMaker, costRecoveries, workItems } from './work-records';

/** A work item or cost that a line charges, before the charged amount is known. */
interface Source {
  id: Id;
  /** The record's state as it was recorded, before it was finalised or charged. */
  state: BillableState;
  record(charge: Charge): ImportedRecord;
}

/**
 * The record of an invoice and those of the work and costs that it charges. A voided invoice comes alone: what it
 * charged can be billed again.
 * @param row an Invoice row whose `lines` are SourceLines, as JSON, in the order of their keys
 */
export function* billedRecords(row: Row, ground: Ground): Generator<ImportedRecord> {
  const importId = needed(row, 'ImportId');
  const id = ground.ids.of('Invoice', importId);
  const charging = linesOf(row).map((line) => ({ ...line, source: sourceOf(line, ground) }));
  const charged = charging.flatMap(({ source }) => source ?? []);
  const sources: Sources = new Map(charged.map((source) => [source.id, folded(source)]));
  const named = charging.map(({ line, source }) => ({ line, sourceId: source?.id ?? null }));
  const wanted = wantedInvoice(row, named, sources, ground);
  for (const { taxCodeId } of wanted.issued ? wanted.taxation.rates : [])
    ground.known.charged(taxCodeId, wanted.issued!.issueDate);
  yield recordOf(invoices, importId, id, wanted, invoiceCells(row, wanted), ground);
  if (wanted.state === 'Voided') return;
  const lines = new Map(wanted.lines.map((line) => [line.sourceId, line]));
  for (const source of charged) yield source.record(chargeOf(id, wanted, lines.get(source.id)!));
}

/**
 * What an invoice's rows say. What its lines leave to the records that they charge is a part of it where it is money, as
 * the invoice changes with it; a voided one no longer does.
 */
function invoiceCells(row: Row, { lines, state }: WantedInvoice): unknown[] {
  return [
    cellsOf('Invoice', row),
    linesOf(row).map(({ line }) => cellsOf('InvoiceLine', line)),
    partsOf(row, 'payments').map((payment) => cellsOf('Payment', payment)),
    state === 'Voided' ? [] : lines.map(({ amount, units }) => [amount, units]),
  ];
}

function sourceOf({ line, item, cost }: SourceLine, ground: Ground): Source | undefined {
  if (item !== null) return sourceFrom(workItems, item, ground);
  if (cost !== null) return sourceFrom(costRecoveries, cost, ground);
  if (line.WorkItemId !== null || line.CostRecoveryId !== null)
    throw new Error(`What line ${line.ImportId} charges is no row of the import`);
  return undefined;
}

function sourceFrom<Wanted extends Course, State extends BillableState>(
  maker: BillableMaker<Wanted, State>,
  row: Row,
  ground: Ground,
): Source {
  const { table, definition } = maker;
  const importId = needed(row, 'ImportId');
  const id = ground.ids.of(table, importId);
  const wanted = maker.wanted(row, ground);
  const state = maker.recorded(wanted);
  const record = (charge: Charge) => {
    wanted.charge = charge;
    const create = () => ({ events: maker.events(wanted, state, ground) });
    return { table, importId, definition, id, wanted, cells: [cellsOf(table, row), charge], create };
  };
  return { id, state, record };
}

function folded({ id, state }: Source): Folded<BillableState> {
  return { id, version: 1, audit: NOBODY, data: state };
}

function chargeOf(invoiceId: string, { issued }: WantedInvoice, { amount, units }: InvoiceLine): Charge {
  return { invoiceId, day: issued?.issueDate ?? null, charged: { amount, units: units! } };
}
