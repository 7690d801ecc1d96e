import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { EventStore, type Written } from '#event-store/event-store';
import { at, via } from '#event-store/load';
import type { UnitOfWork } from '#event-store/unit-of-work';
import { numberGiven } from '#kernel/money';
import { dayGiven, dayIn } from '#kernel/zone';
import type { RequestContext } from '#platform/request-context';
import { Matter, requireOpen } from '../matters/matter.lookup';
import { loadAddressed } from '../records/addressed-record';
import { addressed } from '../records/record';
import { settings, settingsOf } from '../tenants/tenant.lookup';
import { amountGiven } from './amount-given';
import type { AnyBillable } from './billable';
import type { WriteOffInput } from './billable.input';
import { finalise, reinstate, remove, unfinalise } from './billable.transitions';
import { writeOff } from './billable.write-off';

export class FinaliseBillable {
  constructor(
    readonly context: RequestContext,
    readonly definition: AnyBillable,
    readonly id: string,
  ) {}
}

@CommandHandler(FinaliseBillable)
export class FinaliseBillableHandler implements ICommandHandler<FinaliseBillable> {
  constructor(private readonly store: EventStore) {}

  execute({ context, definition, id }: FinaliseBillable): Promise<Written> {
    return this.store.execute(context, async (work) => {
      const { record, matter } = await onMatter(work, definition, id);
      const events = finalise(definition, record.data);
      if (events.length > 0) requireOpen(matter);
      return work.change(definition, record, events);
    });
  }
}

export class UnfinaliseBillable {
  constructor(
    readonly context: RequestContext,
    readonly definition: AnyBillable,
    readonly id: string,
  ) {}
}

@CommandHandler(UnfinaliseBillable)
export class UnfinaliseBillableHandler implements ICommandHandler<UnfinaliseBillable> {
  constructor(private readonly store: EventStore) {}

  execute({ context, definition, id }: UnfinaliseBillable): Promise<Written> {
    return this.store.execute(context, async (work) => {
      const record = await loadAddressed(work, definition, id);
      return work.change(definition, record, unfinalise(definition, record.data));
    });
  }
}

export class WriteOffBillable {
  constructor(
    readonly context: RequestContext,
    readonly definition: AnyBillable,
    readonly id: string,
    readonly body: WriteOffInput,
  ) {}
}

@CommandHandler(WriteOffBillable)
export class WriteOffBillableHandler implements ICommandHandler<WriteOffBillable> {
  constructor(private readonly store: EventStore) {}

  execute({ context, definition, id, body }: WriteOffBillable): Promise<Written> {
    return this.store.execute(context, async (work) => {
      const found = await work.load({ record: at(definition, id), tenant: settingsOf(context) });
      const record = addressed(work, found.record, definition.kind);
      const { timeZone } = settings(found.tenant);
      const day = dayGiven(timeZone, body.writeOffDate, work.now);
      const request = {
        day,
        reason: body.reason,
        units: numberGiven(body.units),
        amount: amountGiven(body.amount, definition.currency(record.data), 'amount'),
      };
      return work.change(definition, record, writeOff(definition, record.data, request));
    });
  }
}

export class ReinstateBillable {
  constructor(
    readonly context: RequestContext,
    readonly definition: AnyBillable,
    readonly id: string,
  ) {}
}

@CommandHandler(ReinstateBillable)
export class ReinstateBillableHandler implements ICommandHandler<ReinstateBillable> {
  constructor(private readonly store: EventStore) {}

  execute({ context, definition, id }: ReinstateBillable): Promise<Written> {
    return this.store.execute(context, async (work) => {
      const { record, matter, tenant } = await onMatter(work, definition, id);
      const events = reinstate(definition, record.data, dayIn(tenant.timeZone, work.now));
      requireOpen(matter);
      return work.change(definition, record, events);
    });
  }
}

export class DeleteBillable {
  constructor(
    readonly context: RequestContext,
    readonly definition: AnyBillable,
    readonly id: string,
  ) {}
}

@CommandHandler(DeleteBillable)
export class DeleteBillableHandler implements ICommandHandler<DeleteBillable> {
  constructor(private readonly store: EventStore) {}

  execute({ context, definition, id }: DeleteBillable): Promise<Written> {
    return this.store.execute(context, async (work) => {
      const record = await loadAddressed(work, definition, id);
      return work.change(definition, record, remove(definition, record.data));
    });
  }
}

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
