import type { Kind } from '#kernel/ids';
import { idSchema } from '#platform/http/input/id-schema';
import { BillableStatus, billableStatusName } from '#practice/billable/billable';
import { Entity } from '#practice/entities/entity';
import { InvoiceStatus, invoiceStatusName } from '#practice/invoices/invoice';
import { MatterStatus, matterStatusName } from '#practice/matters/matter';
import { Activity, activityName } from '#practice/records/activity';
import { DISABLING } from '../delivery/failure-watch';
import { type EventName, notices } from './event-catalogue';
import { withFollowing } from './following-fields';
import { impliedBy } from './messages';

// biome-ignore lint/suspicious/noExplicitAny: any JSON
export type Json = any;

const AT = '2025-06-12T10:00:00.000Z';
const DAY = '2025-06-12';
const DAYS_BEFORE = '2025-06-07T10:00:00.000Z';

const active = (state: Activity) => ({ state, stateName: activityName(state) });
const billable = (state: BillableStatus) => ({ state, stateName: billableStatusName(state) });
const matter = (state: MatterStatus) => ({ state, stateName: matterStatusName(state) });

const idOf = (kind: Kind): string => idSchema(kind).example;
const money = (Amount: number) => ({ Amount, Currency: 'GBP' });

const NET = 120;
const TAX = 24;
const TOTAL = NET + TAX;
const PART = 50;
const taxed = { taxCodeId: idOf('taxcode'), taxRate: 20 };

const draft = {
  issueDate: DAY,
  dueDate: '2025-07-12',
  lines: [
    {
      id: 1,
      kind: 'Fee',
      sourceId: null,
      description: 'Fixed fee',
      units: null,
      rate: null,
      amount: money(NET),
      ...taxed,
    },
  ],
  taxes: [{ ...taxed, net: money(NET), tax: money(TAX) }],
  net: money(NET),
  tax: money(TAX),
  total: money(TOTAL),
  balance: money(0),
  paid: money(0),
  writtenOff: money(0),
  payments: [],
};

/** Fields of an invoice that has been issued. */
function invoice(state: InvoiceStatus, balance: number, more: Json = {}): Json {
  return { number: '1', state, stateName: invoiceStatusName(state), balance: money(balance), ...more };
}

function paid(amount: number, reversedDate: string | null = null): Json {
  const payment = { id: 1, date: DAY, amount: money(amount), reference: 'BACS 4711' };
  return {
    paid: money(reversedDate ? 0 : amount),
    payments: [{ ...payment, reversedDate, reversalReason: null }],
  };
}

const onInvoice = { invoiceId: idOf('invoice') };
/** Nothing of a work item or of a cost is left to be billed. */
const nothingLeft = { remaining: money(0), remainingUnits: 0, remainingQuantity: 0 };

const taxCode = (isUsed: boolean) => ({
  isUsed,
  rates: [{ percent: 20, from: '2011-01-04', to: null, isUsed }],
});

/** Values that replace, by kind, those of an area's example that no real record has. */
const shown: Record<string, Json> = {
  invoice: draft,
  role: { kind: 'Custom' },
  taxcode: taxCode(false),
};

const erased = Entity.personal!.erased('entity_0198c2f1a4b87c3d9e5f60718293a4b5') as { name: string };

/** The fields of a record after an event, by the event's name or its second part, where the area's example differs. */
const after: Record<string, Json> = {
  deleted: { isDeleted: true },
  activated: active(Activity.Active),
  deactivated: active(Activity.Inactive),
  closed: { ...matter(MatterStatus.Closed), dateClosed: AT },
  archived: { ...matter(MatterStatus.Archived), dateClosed: DAYS_BEFORE, dateArchived: AT },
  finalised: billable(BillableStatus.Finalised),
  reserved: { ...billable(BillableStatus.Finalised), ...onInvoice },
  released: billable(BillableStatus.Finalised),
  billed: { ...billable(BillableStatus.Billed), ...onInvoice, ...nothingLeft },
  billingReversed: billable(BillableStatus.Finalised),
  reinstated: billable(BillableStatus.Finalised),
  writtenOff: { ...billable(BillableStatus.WrittenOff), ...nothingLeft },
  issued: invoice(InvoiceStatus.Issued, TOTAL),
  unissued: invoice(InvoiceStatus.Draft, 0),
  partPaid: invoice(InvoiceStatus.PartPaid, TOTAL - PART, paid(PART)),
  paid: invoice(InvoiceStatus.Paid, 0, paid(TOTAL)),
  paymentReversed: invoice(InvoiceStatus.Issued, TOTAL, paid(TOTAL, DAY)),
  voided: invoice(InvoiceStatus.Voided, 0),
  'invoice.writtenOff': invoice(InvoiceStatus.WrittenOff, 0, { writtenOff: money(TOTAL) }),
  roleAssigned: { roleIds: [idOf('role')] },
  used: taxCode(true),
  'entity.anonymised': {
    ...erased,
    name: null,
    sortName: erased.name,
    fullName: erased.name,
    anonymisedOn: AT,
  },
  'webhook.failing': { failingSince: DAYS_BEFORE },
  'webhook.disabled': {
    enabled: false,
    failingSince: DAYS_BEFORE,
    disabledOn: AT,
    disabledReason: 'failing',
  },
};

/** Fields that a new record has besides those that a request may set. */
const computed: Record<string, readonly string[]> = {
  workitem: ['rateSource', 'total', 'unitsOverridden'],
  costrecovery: ['total'],
  role: ['kind'],
  document: ['size', 'versions'],
  documentcollection: ['isRoot'],
};

/**
 * An example of the event's body.
 * @param record as its area's example shows it
 * @param settable fields that a request may set that creates or changes such a record
 */
export function exampleOf(event: EventName, record: Json, settable: readonly string[]): Json {
  const { name, kind } = event;
  const [, what] = name.split('.');
  const stands = Object.entries({ ...shown[kind], ...(after[name] ?? after[what]) });
  const changed = changedBy(event, settable);
  const isOfService = event === notices.failing || event === notices.disabled;
  const version = what === 'created' || event === notices.test ? 1 : 2;
  // The view of a tenant has no version.
  const own = 'version' in record ? { version } : {};
  return {
    type: name,
    timestamp: AT,
    requestId: '0198c2f1-a4b8-8c3d-9e5f-60718293a4b5',
    data: {
      id: record.id,
      data: { ...record, ...own, ...Object.fromEntries(stands.filter(([field]) => field in record)) },
      sourceId: isOfService ? 'service' : 'integration:demo-client',
    },
    id: 'evt_0198c2f1a4b87c3d9e5f60718293a4b5',
    tenant: 'demo',
    sequence: version,
    changed: changed.filter((field) => field in record).sort(),
  };
}

function changedBy(event: EventName, settable: readonly string[]): readonly string[] {
  if (event === notices.disabled) return DISABLING;
  const { name, kind } = event;
  // The lines of a new draft have an event of their own.
  if (name.endsWith('.created'))
    return withFollowing(kind, [...settable.filter((field) => field !== 'lines'), ...(computed[kind] ?? [])]);
  if (name.endsWith('.updated')) return withFollowing(kind, settable.slice(0, 1));
  return impliedBy(name) ?? [];
}
