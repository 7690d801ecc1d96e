import type { BillableState } from '#practice/billable/billable';
import { type InvoiceState, InvoiceStatus } from '#practice/invoices/invoice';
import type { Course } from '../records/billing';
import type { ImportedRecord } from '../records/imported-record';
import type { WantedInvoice } from '../records/invoice-records';

/** Why a changed row cannot change its record. */
export interface Hindrance {
  code: 'edited_since_import' | 'cannot_change';
  table: string;
  importId: string;
  message: string;
}

const CHARGED = 'What a line of the invoice charged is no row any more; have the row of it again.';
const CHARGING =
  'The invoice that charges it is no row any more; have the row of it again, as Voided or, of a draft, without the line.';

/**
 * Invoices and what they charge part by rows of both: where one has no row any more it stays as it is, and would go on
 * with a line whose record another may charge, or as a record that no line charges.
 */
export class Partings {
  private readonly changed = new Set<string>();
  /** With the id of the record that has to change with the row. */
  private readonly partings: { from: string; hindrance: Hindrance }[] = [];

  /** @param state of the record of a changed row; null: production has edited it, which is told of */
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
      // What is charged as before is not asked for, and may be nearly all of a firm's work.
      if (state === null || parts) this.changed.add(id);
      if (parts) part(invoiceId, CHARGING);
    }
  }

  /** Once all changed rows were added. */
  hindrances(): Hindrance[] {
    return this.partings.flatMap(({ from, hindrance }) => (this.changed.has(from) ? [] : hindrance));
  }
}
