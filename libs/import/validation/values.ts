import type { ClientBase } from 'pg';
import { TICKS_PER_MINUTE, type UnitRounding } from '#kernel/ticks';
import { LARGEST_AMOUNT, LARGEST_UNITS } from '#platform/http/input/fields';
import { makeTable, makeTableOf } from './working-tables';

/** Decimal places of quotients: enough that a half is not lost before the result is rounded. */
const EXACT = 40;

const rounded: Record<UnitRounding, (units: string) => string> = {
  Up: (units) => `ceil(${units})`,
  Nearest: (units) => `floor(${units} + 0.5)`,
  Down: (units) => `floor(${units})`,
};

/**
 * Makes `work_values` and `cost_values`: the values of work items and costs. An amount is null if a cell that it
 * depends on is null.
 * @see priceWorkItem and unitsOf, whose arithmetic this repeats in SQL
 */
export async function makeValues(session: ClientBase, rounding: UnitRounding): Promise<void> {
  const exact = `round(ticks::numeric, 20) / (minutes_per_unit * ${TICKS_PER_MINUTE})`;
  const work = (rows: string) =>
    `select import_id, matter_id, employee_id, state, is_billable and matter_id is not null as is_billable, is_timed,
       exact_units, units, rate, minutes_per_unit, digits,
       round(${amountOf('is_timed', 'units', 'minutes_per_unit', 'rate')}, digits) as amount
     from (
       select w.*, coalesce(given_units, case
         when bad_units then null
         when not is_timed then 1
         when exact_units is null then null
         when ticks = 0 then 0
         else greatest(1, ${rounded[rounding]('exact_units')})
       end) as units
       from (
         select w.*, case when is_timed then ${exact} end as exact_units
         from (
           select t.import_id, t.matter_id, t.employee_id, t.state, t.is_billable, t.item_type = 'Timed' as is_timed,
             t.duration_ticks as ticks, t.units as given_units, coalesce('units' = any(t.bad), false) as bad_units,
             t.rate, coalesce(n.minutes_per_unit::numeric, m.minutes_per_unit, s.minutes_per_unit) as minutes_per_unit, s.digits
           from ${rows} t cross join settings s left join all_matters m on m.key = t.matter_id
           left join counted_by n on n.table_name = 'WorkItem' and n.import_id = t.import_id
         ) w
       ) w
     ) w`;
  await makeTableOf(session, 'work_values', 'work_items', work, 'import_id');
  const costs = (rows: string) =>
    `select t.import_id, t.matter_id, t.state, t.kind <> 'Anticipated' as is_billable, t.quantity as units,
       t.unit_amount as rate, coalesce(n.tax_code, c.tax_code_id) as tax_code_id, round(t.quantity * t.unit_amount, s.digits) as amount
     from ${rows} t cross join settings s
     left join all_disbursement_codes c on c.key = t.disbursement_code_id
     left join counted_by n on n.table_name = 'CostRecovery' and n.import_id = t.import_id`;
  await makeTableOf(session, 'cost_values', 'cost_recoveries', costs, 'import_id');
}

/** SQL: the unrounded amount of units at a rate. For timed work the division comes last. */
function amountOf(isTimed: string, units: string, minutes: string, rate: string): string {
  return `case when ${isTimed} then round(${units} * ${minutes} * ${rate}, ${EXACT}) / 60
    when not ${isTimed} then ${units} * ${rate} end`;
}

/**
 * Makes `charges`: the amount and tax of every invoice line, as issuing the invoice would compute them. An amount is
 * null if it cannot be known; a tax code and its percent are null if there is none.
 * @see chargeOf and taxationOn, whose rules this repeats in SQL
 */
export async function makeCharges(session: ClientBase): Promise<void> {
  await makeTable(session, 'taxed_days', taxedDays);
  await makeTableOf(session, 'charges', 'invoice_lines', charges, 'invoice_id');
  await makeTable(session, 'invoice_totals', totals, 'invoice_id');
}

/**
 * The tax code of lines that name none, by day: the oldest Standard code of the firm's scheme that has a rate on the
 * day. Codes that the tenant has deleted since their import are left out.
 */
const taxedDays = `
  select d.day, (
    select c.key from all_tax_codes c
    where c.category = 'Standard' and c.scheme = s.tax_scheme and exists (
        select from all_tax_rates r where r.key = c.key and d.day between r.from_date and r.to_date)
      and not exists (
        select from edited e where e.table_name = 'TaxCode' and e.import_id = c.key and e.is_deleted)
    order by c.id collate "C", c.key limit 1) as tax_code
  from (select distinct coalesce(issue_date, today) as day from invoices cross join settings) d
  cross join settings s`;

const charges = (lines: string) => `
  select c.import_id, c.invoice_id, c.kind, c.source, c.is_text, c.invoice_state, c.issue_date, c.worth,
    c.is_stated, c.stated, coalesce(k.id, c.tax_code) as tax_code, c.is_tax_unknown,
    case when c.kind = 'Discount' then -abs(c.amount) else c.amount end as amount,
    case when c.amount is null then null
      when c.given_units is not null then c.given_units
      when c.source is null then null
      when c.given_amount is null or c.worth = 0 then c.source_units
      else round(round(c.source_units * c.amount, ${EXACT}) / c.worth, 4) end as units,
    case when k.category in ('Standard', 'Reduced') then (
      select r.percent from all_tax_rates r where r.key = c.tax_code and c.day between r.from_date and r.to_date limit 1)
      when k.key is not null then 0 end as percent
  from (
    select l.*,
      case
        when l.is_unread then null
        when l.given_amount is not null then l.given_amount
        when l.is_sourced and l.given_rate is not null then l.stated
        when l.is_sourced and (l.given_units is null or l.source_units = 0) then l.worth
        when l.is_sourced then round(round(l.worth * l.given_units, ${EXACT}) / l.source_units, l.digits)
        else l.stated
      end as amount
    from (
      select l.import_id, l.invoice_id, l.kind, coalesce(l.work_item_id, l.cost_recovery_id) as source,
        l.kind = 'Text' as is_text, i.state as invoice_state, i.issue_date, coalesce(i.issue_date, s.today) as day,
        s.digits, round(l.amount, s.digits) as given_amount, l.units as given_units, l.rate as given_rate,
        coalesce(l.bad && array['kind', 'units', 'rate', 'amount', 'work_item_id', 'cost_recovery_id'], false) as is_unread,
        l.units is not null and l.rate is not null as is_stated,
        -- It has a code that is not there: neither its own nor, of a cost, that of its disbursement code.
        coalesce('tax_code_id' = any(l.bad), false)
          or (l.tax_code_id is not null and not exists (select from all_tax_codes k where k.key = l.tax_code_id))
          or (l.tax_code_id is null and l.cost_recovery_id is not null
            and not exists (select from all_tax_codes k where k.key = c.tax_code_id)) as is_tax_unknown,
        coalesce(l.work_item_id, l.cost_recovery_id) is not null as is_sourced,
        coalesce(w.amount, c.amount) as worth, coalesce(w.units, c.units) as source_units,
        coalesce(l.tax_code_id, case when l.cost_recovery_id is null then coalesce(o.key, m.tax_code, d.tax_code) else c.tax_code_id end)
          as tax_code,
        -- Units × Rate, of the units that the line says or takes from what it charges.
        round(case when w.import_id is null then l.rate * coalesce(l.units, c.units, 1)
          else ${amountOf('w.is_timed', 'coalesce(l.units, w.units)', 'w.minutes_per_unit', 'l.rate')} end, s.digits) as stated
      from ${lines} l
      cross join settings s
      left join invoices i on i.import_id = l.invoice_id
      left join taxed_days d on d.day = coalesce(i.issue_date, s.today)
      left join all_matters m on m.key = i.matter_id
      left join counted_by n on n.table_name = 'Invoice' and n.import_id = i.import_id
      -- A code that the tenant has deleted since is there only if it is a row.
      left join (select distinct on (id) id, key from all_tax_codes order by id, key <> id) o on o.id = n.tax_code
      left join work_values w on w.import_id = l.work_item_id
      left join cost_values c on c.import_id = l.cost_recovery_id
    ) l
  ) c
  left join all_tax_codes k on k.key = c.tax_code`;

/**
 * Invoice totals including tax: amounts are summed by tax code, and each code's tax is rounded. Text lines charge
 * nothing.
 */
const totals = `
  select invoice_id, sum(lines) as lines, sum(lines) filter (where not is_text) as charging,
    coalesce(sum(net) filter (where not is_text), 0)
      + coalesce(sum(round(net * percent / 100, digits)) filter (where not is_text), 0) as total,
    bool_and(is_known) as is_known
  from (
    select invoice_id, tax_code, percent, is_text, count(*) as lines, sum(amount) as net,
      bool_and(is_text is not null and (is_text or (amount is not null and percent is not null))) as is_known
    from charges group by 1, 2, 3, 4
  ) c cross join settings
  group by 1`;

/** SQL: a line's amount or units, pro rata units included, are out of bounds. */
export const BEYOND_BOUNDS = `(abs(t.amount) > ${LARGEST_AMOUNT} or t.units > ${LARGEST_UNITS})`;
