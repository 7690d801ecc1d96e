import { SCHEMA_VERSION } from '../../schema/schema-1.0';
import { checkedColumn, checkedTable, spelling } from '../checked-names';
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
  ['RateSet', 'Currency'],
  ['Matter', 'Currency'],
  ['WorkItem', 'RateCurrency'],
  ['Invoice', 'Currency'],
] as const;

export const currencyRules: readonly Rule[] = inBaseCurrency.map(
  ([table, column]): Rule => ({
    code: 'currency_differs',
    table,
    column,
    message: `${column} must be the base currency, {}; convert the amounts of the row.`,
    detail: 's.currency',
    rows: `from ${checkedTable(table)} t cross join settings s where t.${checkedColumn(column)} <> s.currency`,
  }),
);

/**
 * SQL: a cell's day, and the day as the message tells it. An instant's day is that in the tenant's zone, which the row
 * does not show; the message therefore names the zone.
 */
const dayOf = (column: string) => {
  const cell = `t.${checkedColumn(column)}`;
  return [cell, `${cell}::text`] as const;
};
const dayThere = (column: string) => {
  const day = `(t.${checkedColumn(column)} at time zone 'UTC' at time zone s.time_zone)::date`;
  return [day, `${day} || ' in ' || s.time_zone`] as const;
};

const dated = [
  ['Matter', 'DateOpened', dayThere],
  ['Matter', 'DateClosed', dayThere],
  ['WorkItem', 'EntryDate', dayThere],
  ['WorkItem', 'WriteOffDate', dayOf],
  ['CostRecovery', 'EntryDate', dayThere],
  ['Invoice', 'IssueDate', dayOf],
  ['Payment', 'Date', dayOf],
] as const;

const periods = [
  ['TaxRate', 'FromDate', 'ToDate'],
  ['ApplicableRate', 'EffectiveFrom', 'EffectiveTo'],
  ['Matter', 'DateOpened', 'DateClosed'],
  ['Invoice', 'IssueDate', 'DueDate'],
] as const;

export const dateRules: readonly Rule[] = [
  ...dated.map(([table, column, dayIn]): Rule => {
    const [day, told] = dayIn(column);
    return {
      code: 'after_cutover',
      table,
      column,
      message: `${column} is on {}; leave the row out or set a later CutoverDate.`,
      detail: `${told} || ', after the CutoverDate, ' || s.cutover`,
      rows: `from ${checkedTable(table)} t cross join settings s where ${day} > s.cutover`,
    };
  }),
  ...periods.map(([table, beginning, end]): Rule => {
    const begun = `t.${checkedColumn(beginning)}`;
    return {
      code: 'period_reversed',
      table,
      column: end,
      message: `${end} is before the beginning, {}; correct one of them.`,
      // With its time, if it has one: both may be on one day.
      detail: begun,
      rows: `from ${checkedTable(table)} t where t.${checkedColumn(end)} < ${begun}`,
    };
  }),
];
