import { missing } from '../checked-names';
import type { Rule } from '../rule';

const ISSUED = "t.state in ('Issued', 'PartPaid', 'Paid', 'Voided', 'WrittenOff')";
/** SQL: invoices with their computed totals. IS_KNOWN holds for those whose total can be computed. */
const TOTALLED = `from invoices t
  left join invoice_totals c on c.invoice_id = t.import_id
  cross join lateral (select coalesce(c.total, 0) as total) v`;
const IS_KNOWN = 'coalesce(c.is_known, true)';

export const invoiceRules: readonly Rule[] = [
  {
    code: 'matter_differs',
    table: 'Invoice',
    column: 'ClientId',
    message: 'ClientId is not the client of the matter; correct one of them.',
    rows: `from invoices t join all_matters m on m.key = t.matter_id join all_clients c on c.key = t.client_id
           where c.id <> m.client`,
  },
  ...(['Number', 'IssueDate'] as const).map(
    (column): Rule => ({
      code: 'wrong_state',
      table: 'Invoice',
      column,
      message: `An invoice that is {} needs ${column === 'Number' ? 'a' : 'an'} ${column}; fill it in.`,
      detail: 't.state',
      rows: `from invoices t where ${ISSUED} and ${missing(column === 'Number' ? 'number' : 'issue_date')}`,
    }),
  ),
  {
    code: 'wrong_state',
    table: 'Invoice',
    column: 'Number',
    message: 'A draft has no Number; empty it, or correct the State.',
    rows: "from invoices t where t.state = 'Draft' and t.number is not null",
  },
  {
    code: 'wrong_state',
    table: 'Invoice',
    column: 'State',
    message: 'The invoice is {} but charges nothing; add its lines or leave it out.',
    detail: 't.state',
    rows: `from invoices t left join invoice_totals c on c.invoice_id = t.import_id
           where ${ISSUED} and coalesce(c.charging, 0) = 0 and ${IS_KNOWN}`,
  },
  {
    code: 'too_many',
    table: 'Invoice',
    message: 'The invoice has {} lines, but can have at most 1,000; divide it.',
    detail: 'c.lines',
    rows: 'from invoices t join invoice_totals c on c.invoice_id = t.import_id where c.lines > 1000',
  },
  {
    code: 'total_differs',
    table: 'Invoice',
    column: 'Total',
    message: 'The lines and their tax come to {}; correct Total or the lines.',
    detail: 'v.total',
    rows: `${TOTALLED} where ${IS_KNOWN} and t.total <> v.total`,
  },
  {
    code: 'out_of_range',
    table: 'Invoice',
    message:
      'The lines and their tax come to {}, but the total of an invoice cannot be negative; correct the lines.',
    detail: 'v.total',
    rows: `${TOTALLED} where ${IS_KNOWN} and ${ISSUED} and v.total < 0`,
  },
];

/**
 * SQL: invoices whose State is compared with their payments. Left out are those whose Total is invalid or differs
 * from the computed total: the Total must be corrected first.
 */
const PAID = `${TOTALLED}
  left join (
    select invoice_id, sum(round(p.amount, s.digits)) as amount, bool_and(p.amount is not null) as is_known
    from payments p cross join settings s group by 1
  ) p on p.invoice_id = t.import_id
  cross join lateral (select coalesce(p.amount, 0) as paid) w
  where ${IS_KNOWN} and coalesce(p.is_known, true) and coalesce(t.total, v.total) = v.total and v.total >= 0
    and not coalesce('total' = any(t.bad), false)`;

export const paymentRules: readonly Rule[] = [
  {
    code: 'payments_differ',
    table: 'Payment',
    column: 'InvoiceId',
    message: 'The invoice is {}, so it can have no payments; correct its State or remove the payment.',
    detail: 'i.state',
    rows: `from payments t join invoices i on i.import_id = t.invoice_id where i.state in ('Draft', 'Voided')`,
  },
  {
    code: 'payments_differ',
    table: 'Invoice',
    column: 'State',
    message: 'The payments are more than the total of the invoice; correct one of them.',
    rows: `${PAID} and t.state in ('Issued', 'PartPaid', 'Paid', 'WrittenOff') and w.paid > v.total`,
  },
  {
    code: 'payments_differ',
    table: 'Invoice',
    column: 'State',
    message:
      'The payments come to {}, which does not agree with the State; correct the State or the payments.',
    detail: 'w.paid',
    rows: `${PAID} and w.paid <= v.total and case t.state
             when 'Issued' then w.paid <> 0
             when 'PartPaid' then w.paid = 0 or w.paid = v.total
             when 'Paid' then w.paid <> v.total
             when 'WrittenOff' then w.paid = v.total
           end`,
  },
  {
    code: 'out_of_range',
    table: 'Payment',
    column: 'Amount',
    message: 'The Amount must be more than 0; correct it or remove the payment.',
    rows: 'from payments t cross join settings s where round(t.amount, s.digits) = 0',
  },
  ...(['Payment', 'InvoiceLine'] as const).map(
    (table): Rule => ({
      code: 'rounded',
      table,
      column: 'Amount',
      message: 'Amount has more decimals than the currency; it is rounded half-up.',
      rows: `from ${table === 'Payment' ? 'payments' : 'invoice_lines'} t cross join settings s
             where t.amount <> round(t.amount, s.digits)`,
    }),
  ),
];
