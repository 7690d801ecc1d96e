import { choice, plain, required, table, text } from './table';

export const info = table(
  'Info',
  'What was extracted, from where and when. One row.',
  [
    text('SchemaVersion', 10, 'Version of these tables: 1.0.', required),
    text(
      'SourceSystem',
      100,
      'Name of the system that the data comes from; the same in every import.',
      required,
    ),
    plain('instant', 'ExtractedAtUtc', 'When the tables were filled.', required),
    plain('date', 'CutoverDate', 'The last day that the data covers; no row is dated after it.', required),
    plain('currency', 'BaseCurrency', 'The currency of the books; must be that of the tenant.', required),
    text('TimeZone', 64, 'IANA name of the time zone of the firm; must be that of the tenant.', required),
  ],
  { isSingle: true },
);

export const controlMeasures = ['Rows', 'Work', 'UnbilledWork', 'Billed', 'Debtors'] as const;
export const controlGroups = ['Total', 'Table', 'Matter', 'FeeEarner'] as const;

export const controlTotal = table(
  'ControlTotal',
  'What the source system says that the data should come to.',
  [
    choice(
      'Measure',
      controlMeasures,
      'Rows: rows of a table. Work: value of all work items. UnbilledWork: of those that can be billed and are not. Billed: what issued invoices charge for work items. Debtors: what issued invoices leave to be paid, tax included.',
      required,
    ),
    choice(
      'GroupBy',
      controlGroups,
      'What the total is of: everything, a table, a matter, a fee earner.',
      required,
    ),
    text('GroupKey', 100, "Name of the table, or the matter's or the employee's ImportId; empty for Total."),
    plain('integer', 'Count', 'How many rows, work items or invoices; not compared when empty.'),
    plain(
      'money',
      'Amount',
      'In the base currency; not compared when empty. The measure Rows has no amount.',
    ),
  ],
);
