import { SCHEMA_VERSION } from '../../schema/schema-1.0';
import { spelling } from '../checked-names';
import type { Rule } from '../rule';

/** What Info says must agree with the tenant's settings. */
export const settingRules: readonly Rule[] = [
  {
    code: 'one_row',
    table: 'Info',
    message: 'Info has {} rows; it must have exactly one.',
    detail: 't.rows',
    rows: 'from (select null as import_id, count(*) as rows from "Info") t where t.rows <> 1',
  },
  {
    code: 'wrong_setting',
    table: 'Info',
    column: 'SchemaVersion',
    message: `SchemaVersion must be ${SCHEMA_VERSION}; use the tables of that version.`,
    rows: `from infos t where t.schema_version <> '${SCHEMA_VERSION}'`,
  },
  {
    // Under another name of the source system, every row would become a new record.
    code: 'wrong_setting',
    table: 'Info',
    column: 'SourceSystem',
    message:
      'SourceSystem differs from “{}”, that of a promoted import, only in capitals or spaces; spell it in the same way.',
    detail: 't.alike',
    rows: `from (select t.import_id, (
               select p.name from unnest(s.promoted_systems) with ordinality p(name, nth)
               where ${spelling('p.name')} = ${spelling('t.source_system')} order by p.nth limit 1) as alike
             from infos t cross join settings s where t.source_system <> all(s.promoted_systems)) t
           where t.alike is not null`,
  },
  {
    code: 'wrong_setting',
    table: 'Info',
    column: 'BaseCurrency',
    message: 'BaseCurrency must be that of the tenant, {}.',
    detail: 's.currency',
    rows: 'from infos t cross join settings s where t.base_currency <> s.currency',
  },
  {
    code: 'wrong_setting',
    table: 'Info',
    column: 'TimeZone',
    message: 'TimeZone must be that of the tenant, {}.',
    detail: 's.time_zone',
    rows: 'from infos t cross join settings s where t.time_zone <> s.time_zone',
  },
  {
    code: 'wrong_setting',
    table: 'TaxCode',
    column: 'Scheme',
    message: "Scheme must be that of the tenant's region, {}.",
    detail: 's.tax_scheme',
    rows: 'from tax_codes t cross join settings s where t.scheme <> s.tax_scheme',
  },
];

/** Tables whose amounts must be in the base currency: there are no exchange rates. */
const inBaseCurrency = [
  ['RateSet', 'rate_sets', 'Currency', 'currency'],
  ['Matter', 'matters', 'Currency', 'currency'],
  ['WorkItem', 'work_items', 'RateCurrency', 'rate_currency'],
  ['Invoice', 'invoices', 'Currency', 'currency'],
] as const;

export const currencyRules: readonly Rule[] = inBaseCurrency.map(
  ([table, checked, column, cell]): Rule => ({
    code: 'currency_differs',
    table,
    column,
    message: `${column} must be the base currency, {}; convert the amounts of the row.`,
    detail: 's.currency',
    rows: `from ${checked} t cross join settings s where t.${cell} <> s.currency`,
  }),
);

/**
 * SQL: a cell's day, and the day as the message tells it. An instant's day is that in the tenant's zone, which the row
 * does not show; the message therefore names the zone.
 */
const dayOf = (cell: string) => [`t.${cell}`, `t.${cell}::text`] as const;
const dayThere = (cell: string) => {
  const day = `(t.${cell} at time zone 'UTC' at time zone s.time_zone)::date`;
  return [day, `${day} || ' in ' || s.time_zone`] as const;
};

const dated = [
  ['Matter', 'matters', 'DateOpened', dayThere('date_opened')],
  ['Matter', 'matters', 'DateClosed', dayThere('date_closed')],
  ['WorkItem', 'work_items', 'EntryDate', dayThere('entry_date')],
  ['WorkItem', 'work_items', 'WriteOffDate', dayOf('write_off_date')],
  ['CostRecovery', 'cost_recoveries', 'EntryDate', dayThere('entry_date')],
  ['Invoice', 'invoices', 'IssueDate', dayOf('issue_date')],
  ['Payment', 'payments', 'Date', dayOf('date')],
] as const;

const periods = [
  ['TaxRate', 'tax_rates', 'ToDate', 'to_date', 'from_date'],
  ['ApplicableRate', 'applicable_rates', 'EffectiveTo', 'effective_to', 'effective_from'],
  ['Matter', 'matters', 'DateClosed', 'date_closed', 'date_opened'],
  ['Invoice', 'invoices', 'DueDate', 'due_date', 'issue_date'],
] as const;

export const dateRules: readonly Rule[] = [
  ...dated.map(
    ([table, checked, column, [day, told]]): Rule => ({
      code: 'after_cutover',
      table,
      column,
      message: `${column} is on {}; leave the row out or set a later CutoverDate.`,
      detail: `${told} || ', after the CutoverDate, ' || s.cutover`,
      rows: `from ${checked} t cross join settings s where ${day} > s.cutover`,
    }),
  ),
  ...periods.map(
    ([table, checked, column, end, beginning]): Rule => ({
      code: 'period_reversed',
      table,
      column,
      message: `${column} is before the beginning, {}; correct one of them.`,
      // With its time, if it has one: both may be on one day.
      detail: `t.${beginning}`,
      rows: `from ${checked} t where t.${end} < t.${beginning}`,
    }),
  ),
];
