import { LARGEST_AMOUNT, LARGEST_UNITS } from '#platform/http/input/fields';
import { checkedColumn, checkedTable, missing } from '../checked-names';
import type { Rule } from '../rule';

/** Rules about single work items and costs. */
export const workRules: readonly Rule[] = [
  {
    code: 'wrong_kind',
    table: 'WorkItem',
    column: 'DurationTicks',
    message: 'Timed work needs DurationTicks; fill them in.',
    rows: `from work_items t where t.item_type = 'Timed' and ${missing('duration_ticks')}`,
  },
  {
    code: 'units_differ',
    table: 'WorkItem',
    column: 'Units',
    message: 'The DurationTicks come to {} units; correct Units or DurationTicks.',
    detail: 'trim_scale(round(t.exact_units, 4))',
    // Any time counts as one unit at least. Whether the source rounds a broken unit up, down or not at all is left to
    // it.
    rows: `from work_values t where t.exact_units is not null
             and not (t.units between floor(t.exact_units) and ceil(t.exact_units)
               or (t.exact_units > 0 and t.exact_units < 1 and t.units = 1))`,
  },
  {
    code: 'out_of_range',
    table: 'WorkItem',
    column: 'Units',
    message: `The work comes to {}; at most ${LARGEST_AMOUNT} can be charged.`,
    detail: 't.amount',
    rows: `from work_values t where t.amount > ${LARGEST_AMOUNT}`,
  },
  {
    code: 'out_of_range',
    table: 'WorkItem',
    column: 'DurationTicks',
    message: `The DurationTicks come to {} units; at most ${LARGEST_UNITS} can be charged.`,
    detail: 't.units',
    rows: `from work_values t where t.units > ${LARGEST_UNITS}`,
  },
  {
    code: 'wrong_state',
    table: 'WorkItem',
    column: 'WriteOffDate',
    message: 'Work that was written off needs a WriteOffDate; fill it in.',
    rows: `from work_items t where t.state = 'WrittenOff' and ${missing('write_off_date')}`,
  },
  {
    code: 'unused',
    table: 'WorkItem',
    column: 'WriteOffDate',
    message: 'The work was not written off; its WriteOffDate is not imported.',
    rows: "from work_items t where t.state <> 'WrittenOff' and t.write_off_date is not null",
  },
  {
    code: 'wrong_kind',
    table: 'CostRecovery',
    column: 'SupplierId',
    message: 'A cost that was Incurred needs a SupplierId; fill it in.',
    rows: `from cost_recoveries t where t.kind = 'Incurred' and ${missing('supplier_id')}`,
  },
  {
    code: 'wrong_kind',
    table: 'CostRecovery',
    column: 'Kind',
    message: 'The disbursement code is for {} only; choose another.',
    detail: 'c.kind',
    rows: `from cost_recoveries t join all_disbursement_codes c on c.key = t.disbursement_code_id
           where c.kind <> t.kind`,
  },
  {
    code: 'out_of_range',
    table: 'CostRecovery',
    column: 'Quantity',
    message: `The cost comes to {}; at most ${LARGEST_AMOUNT} can be charged.`,
    detail: 't.amount',
    rows: `from cost_values t where t.amount > ${LARGEST_AMOUNT}`,
  },
];

/** A billed record must be on one line of an issued invoice; a record that is not billed must be on none. */
const sources = [
  ['WorkItem', 'Work'],
  ['CostRecovery', 'A cost'],
] as const;

/** SQL: the invoice was issued and is not voided. An invoice whose State is invalid counts as one. */
const STANDS = "coalesce(i.state, 'Issued') not in ('Draft', 'Voided')";

export const billingRules: readonly Rule[] = sources.flatMap(([table, called]): Rule[] => {
  const checked = checkedTable(table);
  const reference = `${checkedColumn(table)}_id`;
  return [
    {
      code: 'wrong_state',
      table,
      column: 'State',
      message: `${called} that is Billed must be on a line of an issued invoice; add the line or change the State.`,
      rows: `from ${checked} t where t.state = 'Billed' and not exists (
             select from invoice_lines l join invoices i on i.import_id = l.invoice_id
             where l.${reference} = t.import_id and ${STANDS})`,
    },
    {
      code: 'wrong_state',
      table,
      column: 'State',
      message: `${called} on a line of an issued invoice is Billed, not {}; correct the State.`,
      detail: 't.state',
      rows: `from ${checked} t where t.state <> 'Billed' and exists (
             select from invoice_lines l join invoices i on i.import_id = l.invoice_id
             where l.${reference} = t.import_id and ${STANDS} and i.state is not null)`,
    },
    {
      code: 'wrong_state',
      table,
      column: 'State',
      message: `${called} on a draft must be Finalised, not {}; correct the State.`,
      detail: 't.state',
      rows: `from ${checked} t where t.state in ('Pending', 'WrittenOff') and exists (
             select from invoice_lines l join invoices i on i.import_id = l.invoice_id
             where l.${reference} = t.import_id and i.state = 'Draft')`,
    },
    {
      code: 'wrong_state',
      table: 'InvoiceLine',
      column: `${table}Id`,
      message: 'Another line charges the same work or cost; remove one of them.',
      rows: `from (
             select l.import_id, coalesce(i.state, '') = 'Voided' as is_void,
               count(*) filter (where i.state <> 'Voided') over (partition by l.${reference}) as standing,
               count(*) over (partition by l.${reference}, l.invoice_id) as on_invoice
             from invoice_lines l join invoices i on i.import_id = l.invoice_id
             where l.${reference} is not null
           ) t where (t.standing > 1 and not t.is_void) or t.on_invoice > 1`,
    },
  ];
});
