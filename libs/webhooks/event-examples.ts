import { BillableStatus, billableStatusName } from '#practice/billable/billable';
import { Entity } from '#practice/entities/entity';
import { InvoiceStatus, invoiceStatusName } from '#practice/invoices/invoice';
import { MatterStatus, matterStatusName } from '#practice/matters/matter';
import { Activity, activityName } from '#practice/records/activity';
import { DISABLING } from './delivery/failure-watch';
import { type EventName, notices } from './event-catalogue';
import { impliedBy } from './messages';

// biome-ignore lint/suspicious/noExplicitAny: any JSON
export type Json = any;

const AT = '2025-06-12T10:00:00.000Z';
const DAYS_BEFORE = '2025-06-07T10:00:00.000Z';

const active = (state: Activity) => ({ state, stateName: activityName(state) });
const billable = (state: BillableStatus) => ({ state, stateName: billableStatusName(state) });
const invoice = (state: InvoiceStatus) => ({ state, stateName: invoiceStatusName(state) });
const matter = (state: MatterStatus) => ({ state, stateName: matterStatusName(state) });

const erased = Entity.personal!.erased('entity_0198c2f1a4b87c3d9e5f60718293a4b5') as { name: string };

/** How a record stands after an event, by the event's name or by what happened, where its area's example shows it otherwise. */
const after: Record<string, Json> = {
  deleted: { isDeleted: true },
  activated: active(Activity.Active),
  deactivated: active(Activity.Inactive),
  closed: { ...matter(MatterStatus.Closed), dateClosed: AT },
  archived: { ...matter(MatterStatus.Archived), dateClosed: DAYS_BEFORE, dateArchived: AT },
  finalised: billable(BillableStatus.Finalised),
  billed: billable(BillableStatus.Billed),
  billingReversed: billable(BillableStatus.Finalised),
  reinstated: billable(BillableStatus.Finalised),
  writtenOff: billable(BillableStatus.WrittenOff),
  issued: invoice(InvoiceStatus.Issued),
  partPaid: invoice(InvoiceStatus.PartPaid),
  paid: invoice(InvoiceStatus.Paid),
  paymentReversed: invoice(InvoiceStatus.Issued),
  voided: invoice(InvoiceStatus.Voided),
  'invoice.writtenOff': invoice(InvoiceStatus.WrittenOff),
  'entity.anonymised': { ...erased, sortName: erased.name, fullName: erased.name, anonymisedOn: AT },
  'webhook.failing': { failingSince: DAYS_BEFORE },
  'webhook.disabled': {
    ...{ enabled: false, failingSince: DAYS_BEFORE, disabledOn: AT, disabledReason: 'failing' },
  },
};

/**
 * A body of the event.
 * @param record as its area's example shows it
 * @param settable fields that a request may set which creates or changes such a record
 */
export function exampleOf(event: EventName, record: Json, settable: readonly string[]): Json {
  const { name } = event;
  const [, what] = name.split('.');
  const changed = changedBy(event, settable);
  const isOfService = event === notices.failing || event === notices.disabled;
  const version = what === 'created' || event === notices.test ? 1 : 2;
  // A tenant tells no version of itself.
  const own = 'version' in record ? { version } : {};
  return {
    type: name,
    timestamp: AT,
    requestId: '0198c2f1-a4b8-8c3d-9e5f-60718293a4b5',
    data: {
      id: record.id,
      data: { ...record, ...own, ...(after[name] ?? after[what]) },
      sourceId: isOfService ? 'service' : 'integration:demo-client',
    },
    id: 'evt_0198c2f1a4b87c3d9e5f60718293a4b5',
    tenant: 'demo',
    sequence: version,
    changed: [...changed].sort(),
  };
}

function changedBy(event: EventName, settable: readonly string[]): readonly string[] {
  if (event === notices.disabled) return DISABLING;
  const { name } = event;
  // Lines that a draft begins with are told by an event of their own.
  if (name.endsWith('.created')) return settable.filter((field) => field !== 'lines');
  if (name.endsWith('.updated')) return settable.slice(0, 1);
  return impliedBy(name) ?? [];
}
