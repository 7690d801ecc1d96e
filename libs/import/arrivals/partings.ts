import type { BillableState } from '#practice/billable/billable';
import { type InvoiceState, InvoiceStatus } from '#practice/invoices/invoice';
import type { Course } from '../records/billing';
import type { ImportedRecord } from '../records/imported-record';
import type { WantedInvoice } from '../records/invoice-records';

/** The reason why a changed row cannot change its record. */
export interface Hindrance {
  code: 'edited_since_import' | 'cannot_change';
  table: string;
  importId: string;
  message: string;
}

const CHARGED =
  'A line of the invoice was removed, but the work or cost that it charged has no row in this import; include that ' +
  'row again.';
const CHARGING =
  'The invoice that charges it has no row in this import; include that row again, as Voided or, if it is a draft, ' +
  'without the line.';

/**
 * Finds changed rows that separate an invoice from a work item or cost that it charges, while the other side has no changed
 * row. That side would stay as it is: an invoice with a line for a record that another may charge, or a charged record
 * without a line.
 */
export class Partings {
  private readonly changed = new Set<string>();
  /** Each parting, with the id (`from`) of the record that must change together with the row. */
  private readonly partings: { from: string; hindrance: Hindrance }[] = [];

  /** Adds a changed row. @param state the state of its record; null: production has edited it, which is another finding */
  add({ table, importId, id, wanted }: ImportedRecord, state: object | null): void {
    const part = (from: string, message: string) =>
      this.partings.push({ from, hindrance: { code: 'cannot_change', table, importId, message } });
    if (table === 'Invoice') {
      this.changed.add(id);
      if (state === null) return;
      const kept = new Set((wanted as WantedInvoice).lines.map(({ sourceId }) => sourceId));
      const { lines, state: status } = state as InvoiceState;
      if (status === InvoiceStatus.Voided) return;
      for (const { sourceId } of lines) if (sourceId !== null && !kept.has(sourceId)) part(sourceId, CHARGED);
    } else if (table === 'WorkItem' || table === 'CostRecovery') {
      const invoiceId = state && (state as BillableState).invoiceId;
      const parts = invoiceId !== null && (wanted as Course).charge?.invoiceId !== invoiceId;
      // Records that are charged as before are not remembered: they may be nearly all of a firm's work.
      if (state === null || parts) this.changed.add(id);
      if (parts) part(invoiceId, CHARGING);
    }
  }

  /** The rows that cannot arrive. To be called once all changed rows are added. */
  hindrances(): Hindrance[] {
    return this.partings.flatMap(({ from, hindrance }) => (this.changed.has(from) ? [] : hindrance));
  }
}
