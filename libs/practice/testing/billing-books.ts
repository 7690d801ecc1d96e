import { Decimal } from 'decimal.js';
import { at } from '#event-store/load';
import { type Kind, toId, toUuid } from '#kernel/ids';
import type { TestStore } from '../../../test/support/store';
import { CostRecovery, type CostRecoveryState } from '../cost-recoveries/cost-recovery';
import { Invoice, type InvoiceState } from '../invoices/invoice';
import { WorkItem, type WorkItemState } from '../work-items/work-item';
import type { BillingFirm } from './billing-firm';
import type { BillingLife } from './billing-life';
import type { Part } from './naive-money';
import type { LedgerInvoice, LedgerItem } from './naive-records';

/** Values by the record's id, or by the key of a fact. */
export type Book = Record<string, object>;
export interface Books {
  items: Book;
  invoices: Book;
}

const plain = (value: Decimal.Value): string => new Decimal(value).toFixed();
const billableStates = ['Pending', 'Finalised', 'Billed', 'WrittenOff'];
const invoiceStates = ['Draft', 'Issued', 'PartPaid', 'Paid', 'Voided', 'WrittenOff'];

/** The books of the ledger. */
export function ledgerBooks({ books, witness: { ledger, today } }: BillingLife): Books {
  const item = ({ state, whole, left, matterId, invoiceId }: LedgerItem) => ({
    state,
    matterId,
    invoiceId,
    total: plain(whole.amount),
    units: plain(whole.units),
    remaining: plain(left.amount),
    remainingUnits: plain(left.units),
  });
  const invoice = (one: LedgerInvoice) => {
    const { net, tax, total, balance, paid } = books.totals(one, today);
    const { state, number, issueDate, dueDate, writtenOff } = one;
    return {
      state,
      number,
      issueDate,
      dueDate,
      net: plain(net),
      tax: plain(tax),
      total: plain(total),
      balance: plain(balance),
      paid: plain(paid),
      writtenOff: plain(writtenOff),
      lines: one.lines.map(({ id, kind, sourceId, units, amount }) => ({
        id,
        kind,
        sourceId,
        units: units && plain(units),
        amount: plain(amount),
      })),
      payments: one.payments.map(({ amount, reversed }) => ({ amount: plain(amount), reversed })),
    };
  };
  const each = <Thing>(all: Map<string, Thing>, show: (thing: Thing) => object): Book =>
    Object.fromEntries([...all].map(([id, thing]) => [id, show(thing)]));
  return { items: each(ledger.items, item), invoices: each(ledger.invoices, invoice) };
}

/** The books of the aggregates, by which the service decides: the current state of every record of the ledger. */
export async function aggregateBooks(store: TestStore, firm: BillingFirm, of: Books): Promise<Books> {
  const read = async (ids: string[], show: (state: never) => object): Promise<Book> => {
    const asks = ids.map((id) => at(definitionOf(id), id));
    const found = await store.loader.load(firm.context.tenant.id, asks);
    return Object.fromEntries(ids.map((id, index) => [id, show(found[index]!.data as never)]));
  };
  return {
    items: await read(Object.keys(of.items), shownItem),
    invoices: await read(Object.keys(of.invoices), shownInvoice),
  };
}

/** The books of the read models: each row's state, checked against the row's own columns. */
export async function readBooks(store: TestStore, firm: BillingFirm): Promise<Books> {
  const rowsOf = async (table: string, kind: Kind, show: (state: never) => object, columns: string[]) => {
    const { rows } = await store.reads.pool.query(
      `select id, state, ${columns.join(', ')} from read_model.${table} where tenant_id = $1 order by id`,
      [firm.context.tenant.id],
    );
    return rows.map(({ id, state, ...own }): [string, object] => {
      const shown = show(state as never) as Record<string, unknown>;
      for (const [name, value] of Object.entries(own))
        if (!isSame(shown[COLUMNS[name] ?? name], value))
          throw new Error(`${table} ${id}: ${name} is ${value}, the state says ${JSON.stringify(shown)}`);
      return [toId(kind, id), shown];
    });
  };
  const item = ['remaining', 'total', 'invoice_id', 'matter_id'];
  const work = await rowsOf('work_items', 'workitem', shownItem, [...item, 'units']);
  const costs = await rowsOf('cost_recoveries', 'costrecovery', shownItem, [...item, 'quantity']);
  const money = ['net', 'tax', 'total', 'balance', 'number'];
  const invoices = await rowsOf('invoices', 'invoice', shownInvoice, money);
  return { items: Object.fromEntries([...work, ...costs]), invoices: Object.fromEntries(invoices) };
}

/** The sums of the ledger's facts that are not 0. */
export function ledgerFacts({ witness: { ledger } }: BillingLife): Book {
  return factsFrom([...ledger.facts]);
}

/** The sums of the facts of fee analysis that are not 0. */
export async function readFacts(store: TestStore, firm: BillingFirm): Promise<Book> {
  const measures = ['finalised', 'billed', 'written_off', 'written_up'];
  const { rows } = await store.reads.pool.query(
    `select day::text, employee_id, matter_id, ${measures.map((name) => `sum(${name}) as ${name}, sum(${name}_units) as ${name}_units`).join(', ')}
     from read_model.fee_analysis where tenant_id = $1 group by day, employee_id, matter_id`,
    [firm.context.tenant.id],
  );
  return factsFrom(
    rows.flatMap((row) =>
      measures.map((name): [string, Part] => [
        `${row.day} ${name} ${toId('employee', row.employee_id)} ${toId('matter', row.matter_id)}`,
        { amount: new Decimal(row[name]), units: new Decimal(row[`${name}_units`]) },
      ]),
    ),
  );
}

/** Finalised + WrittenUp − Billed − WrittenOff of all fee earners' work, and the unbilled value of that work. */
export async function balanceOf(store: TestStore, firm: BillingFirm) {
  const { rows } = await store.reads.pool.query(
    `select
       (select coalesce(sum(finalised + written_up - billed - written_off), 0)::float8
        from read_model.fee_analysis where tenant_id = $1) as flow,
       (select coalesce(sum(finalised_units + written_up_units - billed_units - written_off_units), 0)::float8
        from read_model.fee_analysis where tenant_id = $1) as flow_units,
       (select coalesce(sum(remaining), 0)::float8 from read_model.work_items
        where tenant_id = $1 and is_billable and matter_id is not null and item_state <> 0) as unbilled,
       (select coalesce(sum((state ->> 'remainingUnits')::numeric), 0)::float8 from read_model.work_items
        where tenant_id = $1 and is_billable and matter_id is not null and item_state <> 0) as unbilled_units`,
    [firm.context.tenant.id],
  );
  const { flow, flow_units, unbilled, unbilled_units } = rows[0];
  return { flow: [flow, flow_units], unbilled: [unbilled, unbilled_units] };
}

const COLUMNS: Record<string, string> = { invoice_id: 'invoiceId', matter_id: 'matterId', quantity: 'units' };

function isSame(shown: unknown, column: unknown): boolean {
  if (shown === null || column === null) return shown === column;
  if (/^-?\d+(\.\d+)?$/.test(String(column))) return new Decimal(String(column)).eq(String(shown));
  return String(column) === toUuid(String(shown));
}

function definitionOf(id: string) {
  if (id.startsWith('invoice_')) return Invoice;
  return id.startsWith('workitem_') ? WorkItem : CostRecovery;
}

function shownItem(data: WorkItemState | CostRecoveryState): object {
  const { matterId, invoiceId, total, remaining, remainingUnits, isDeleted } = data;
  const units = 'units' in data ? data.units : data.quantity;
  const state = isDeleted ? 'Deleted' : billableStates[data.state];
  return { state, matterId, invoiceId, total, units, remaining, remainingUnits };
}

function shownInvoice(data: InvoiceState): object {
  const { number, issueDate, dueDate, net, tax, total, balance, paid, writtenOff, isDeleted } = data;
  return {
    state: isDeleted ? 'Deleted' : invoiceStates[data.state],
    number,
    issueDate,
    dueDate,
    net,
    tax,
    total,
    balance,
    paid,
    writtenOff,
    lines: data.lines.map(({ id, kind, sourceId, units, amount }) => ({ id, kind, sourceId, units, amount })),
    payments: data.payments.map(({ amount, reversed }) => ({ amount, reversed: reversed !== null })),
  };
}

function factsFrom(sums: [string, Part][]): Book {
  const some = sums.filter(([, { amount, units }]) => !amount.isZero() || !units.isZero());
  return Object.fromEntries(
    some.map(([key, { amount, units }]) => [key, { amount: plain(amount), units: plain(units) }]),
  );
}
