import { choice, plain, required, table, text } from './table';

export const info = table('Info', 'What was extracted, from where and when. The table has exactly one row.', [
  text('SchemaVersion', 10, 'Version of these tables: 1.0.', required),
  text(
    'SourceSystem',
    100,
    'The name of the system that the data comes from. It must be the same in every import.',
    required,
  ),
  plain('instant', 'ExtractedAtUtc', 'When the tables were filled, in UTC.', required),
  plain('date', 'CutoverDate', 'The last day that the data covers. No row may be dated after it.', required),
  plain(
    'currency',
    'BaseCurrency',
    'The base currency of the books. It must be that of the tenant.',
    required,
  ),
  text(
    'TimeZone',
    64,
    'The IANA name of the time zone of the firm, such as Europe/London. It must be that of the tenant.',
    required,
  ),
]);

export const controlMeasures = ['Rows', 'Work', 'UnbilledWork', 'Billed', 'Debtors'] as const;
export const controlGroups = ['Total', 'Table', 'Matter', 'FeeEarner'] as const;

export const controlTotal = table(
  'ControlTotal',
  'Totals according to the source system, with which the rows are compared.',
  [
    choice(
      'Measure',
      controlMeasures,
      'What is counted and summed. Rows: the rows of a table. Work: the value of all work items. UnbilledWork: the ' +
        'value of the work items that can be billed and are not. Billed: what issued invoices charge for work items. ' +
        'Debtors: what is still to be paid of issued invoices, tax included.',
      required,
    ),
    choice(
      'GroupBy',
      controlGroups,
      'What the total is for: everything, a table, a matter or a fee earner. Rows can be grouped only by Table; ' +
        'Debtors only by Total or Matter; the others by Total, Matter or FeeEarner.',
      required,
    ),
    text(
      'GroupKey',
      100,
      'The name of the table, or the ImportId of the matter or the employee. Empty for Total.',
    ),
    plain(
      'integer',
      'Count',
      'How many rows, work items or invoices there are. Empty: the count is not compared.',
    ),
    plain(
      'money',
      'Amount',
      'The sum, in the base currency. Empty: the sum is not compared. Rows have no sum.',
    ),
  ],
);
