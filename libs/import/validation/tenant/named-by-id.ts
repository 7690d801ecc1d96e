import { kindOfTable } from '../../records/record-id';
import { tables } from '../../schema/schema-1.0';
import { checkedColumn, checkedTable } from '../checked-names';

/** References by which a row is a part of another row, or changes it. They cannot name a record of the tenant. */
export const OF_ROWS = new Set([
  'TaxRate.TaxCodeId',
  'RateSetEntry.RateSetId',
  'InvoiceLine.InvoiceId',
  'InvoiceLine.WorkItemId',
  'InvoiceLine.CostRecoveryId',
  'Payment.InvoiceId',
]);

/** SQL: the reference has the form of a record's id rather than of a key. */
export function isExisting(reference: string): string {
  // The check of the length costs next to nothing, and excludes most keys.
  return `(length(${reference}) > 36 and ${reference} ~ '^(${kinds.join('|')})_[0-9a-f]{32}$')`;
}

const kinds = tables.flatMap(({ name, kind }) => (kind ? [kindOfTable(name)] : []));

/** SQL: the ids, as `id`, by which rows refer to records of the tenant. Reads each table once. */
export function referencesByIds(): string {
  return tables
    .flatMap(({ name, columns }) => {
      const references = columns.filter(({ refersTo }) => refersTo);
      if (references.length === 0) return [];
      const cells = references.map((column) => `(t.${checkedColumn(column.name)})`).join(', ');
      return [
        `select v.id from ${checkedTable(name)} t cross join lateral (values ${cells}) v(id) where ${isExisting('v.id')}`,
      ];
    })
    .join(' union all ');
}
