import { at, via } from '#event-store/load';
import type { UnitOfWork } from '#event-store/unit-of-work';
import { numberGiven } from '#kernel/money';
import { dayGiven, dayIn, dayNotBefore } from '#kernel/zone';
import type { RequestContext } from '#platform/request-context';
import { Matter, requireOpen } from '../matters/matter.lookup';
import { loadAddressed } from '../records/addressed-record';
import { handlerOf } from '../records/command';
import { addressed } from '../records/record';
import { settings, settingsOf } from '../tenants/tenant.lookup';
import { amountGiven } from './amount-given';
import { type AnyBillable, enteredOn } from './billable';
import type { WriteOffInput } from './billable.input';
import { finalise, reinstate, remove, unfinalise } from './billable.transitions';
import { writeOff } from './billable.write-off';
import { lastWriteOff } from './billable.write-off-day';

class BillableCommand {
  constructor(
    readonly context: RequestContext,
    readonly definition: AnyBillable,
    readonly id: string,
  ) {}
}

export class FinaliseBillable extends BillableCommand {}

export const FinaliseBillableHandler = handlerOf(FinaliseBillable, async (work, { definition, id }) => {
  const { record, matter } = await onMatter(work, definition, id);
  const events = finalise(definition, record.data);
  if (events.length > 0) requireOpen(matter);
  return work.change(definition, record, events);
});

export class UnfinaliseBillable extends BillableCommand {}

export const UnfinaliseBillableHandler = handlerOf(UnfinaliseBillable, async (work, { definition, id }) => {
  const record = await loadAddressed(work, definition, id);
  return work.change(definition, record, unfinalise(definition, record.data));
});

export class WriteOffBillable {
  constructor(
    readonly context: RequestContext,
    readonly definition: AnyBillable,
    readonly id: string,
    readonly body: WriteOffInput,
  ) {}
}

export const WriteOffBillableHandler = handlerOf(WriteOffBillable, async (work, { definition, id, body }) => {
  const found = await work.load({ record: at(definition, id), tenant: settingsOf(work.context) });
  const record = addressed(work, found.record, definition.kind);
  const { timeZone } = settings(found.tenant);
  const given = dayGiven(timeZone, body.writeOffDate, work.now);
  const request = {
    day: dayNotBefore(enteredOn(definition, record.data), given, body.writeOffDate),
    reason: body.reason,
    units: numberGiven(body.units),
    amount: amountGiven(body.amount, definition.currency(record.data), 'amount'),
  };
  return work.change(definition, record, writeOff(definition, record.data, request));
});

export class ReinstateBillable extends BillableCommand {}

export const ReinstateBillableHandler = handlerOf(ReinstateBillable, async (work, { definition, id }) => {
  const { record, matter, tenant } = await onMatter(work, definition, id);
  const today = dayIn(tenant.timeZone, work.now);
  const off = await lastWriteOff(definition, work.history(record));
  const events = reinstate(definition, record.data, off !== null && off > today ? off : today);
  requireOpen(matter);
  return work.change(definition, record, events);
});

export class DeleteBillable extends BillableCommand {}

export const DeleteBillableHandler = handlerOf(DeleteBillable, async (work, { definition, id }) => {
  const record = await loadAddressed(work, definition, id);
  return work.change(definition, record, remove(definition, record.data));
});

/** Loads a record with its matter, which must be open before the record can be finalised or reinstated. */
async function onMatter(work: UnitOfWork, definition: AnyBillable, id: string) {
  const found = await work.load({
    record: at(definition, id),
    matter: via(Matter, id, 'matterId'),
    tenant: settingsOf(work.context),
  });
  return {
    record: addressed(work, found.record, definition.kind),
    matter: found.matter,
    tenant: settings(found.tenant),
  };
}

export const billableCommandHandlers = [
  FinaliseBillableHandler,
  UnfinaliseBillableHandler,
  WriteOffBillableHandler,
  ReinstateBillableHandler,
  DeleteBillableHandler,
];
