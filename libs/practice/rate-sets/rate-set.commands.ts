import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { EventStore, type Written } from '#event-store/event-store';
import { at, holding, linksTo } from '#event-store/load';
import type { UnitOfWork } from '#event-store/unit-of-work';
import { newId } from '#kernel/ids';
import { dayGiven } from '#kernel/zone';
import type { RequestContext } from '#platform/request-context';
import { addressed, givenReference } from '../records/record';
import { remove } from '../records/simple-record';
import { createRecord, updateRecord } from '../records/write-record';
import { settings, settingsOf } from '../tenants/tenant.lookup';
import { DEFAULT_RATE_SET, RateSet, type RateSetState, refuseDefault, requireDays, uplift } from './rate-set';
import type { RateSetCopyInput, RateSetInput, RateSetPatch } from './rate-set.input';
import { rateSetWriting } from './rate-set.writing';

export class CreateRateSet {
  constructor(
    readonly context: RequestContext,
    readonly body: RateSetInput,
  ) {}
}

export class UpdateRateSet {
  constructor(
    readonly context: RequestContext,
    readonly id: string,
    readonly body: RateSetPatch,
  ) {}
}

export class CopyRateSet {
  constructor(
    readonly context: RequestContext,
    readonly id: string,
    readonly body: RateSetCopyInput,
  ) {}
}

export class DeleteRateSet {
  constructor(
    readonly context: RequestContext,
    readonly id: string,
  ) {}
}

type Done = Promise<Written<RateSetState>>;

@CommandHandler(CreateRateSet)
export class CreateRateSetHandler implements ICommandHandler<CreateRateSet> {
  constructor(private readonly store: EventStore) {}

  execute({ context, body }: CreateRateSet): Done {
    const create = async (work: UnitOfWork) => {
      const made = await createRecord(work, rateSetWriting, body);
      if (body.isDefault) await yieldDefault(work, made.id);
      return made;
    };
    return this.store.execute(context, create);
  }
}

@CommandHandler(UpdateRateSet)
export class UpdateRateSetHandler implements ICommandHandler<UpdateRateSet> {
  constructor(private readonly store: EventStore) {}

  execute({ context, id, body }: UpdateRateSet): Done {
    return this.store.execute(context, async (work) => {
      const changed = await updateRecord(work, rateSetWriting, id, body);
      if (body.isDefault) await yieldDefault(work, id);
      return changed;
    });
  }
}

/** Creates a set with the entries of another one, raised by a percentage if given. The copy is never the default. */
@CommandHandler(CopyRateSet)
export class CopyRateSetHandler implements ICommandHandler<CopyRateSet> {
  constructor(private readonly store: EventStore) {}

  execute({ context, id, body }: CopyRateSet): Done {
    return this.store.execute(context, (work) => copy(work, id, body));
  }
}

@CommandHandler(DeleteRateSet)
export class DeleteRateSetHandler implements ICommandHandler<DeleteRateSet> {
  constructor(private readonly store: EventStore) {}

  execute({ context, id }: DeleteRateSet): Done {
    return this.store.execute(context, async (work) => {
      const { set, uses } = await work.load({ set: at(RateSet, id), uses: linksTo(id) });
      const before = addressed(work, set, 'rateset');
      refuseDefault(before.data);
      work.requireUnlinked(id);
      return work.change(RateSet, before, remove(RateSet, uses));
    });
  }
}

/** Makes the present default rate set an ordinary one, unless it is the given one. */
async function yieldDefault(work: UnitOfWork, to: string): Promise<void> {
  const { holder } = await work.load({ holder: holding(RateSet, DEFAULT_RATE_SET) });
  if (holder && holder.id !== to)
    work.change(RateSet, holder, [{ type: 'RateSetUpdated', data: { isDefault: false } }]);
}

async function copy(work: UnitOfWork, id: string, { name, from, to, percent }: RateSetCopyInput) {
  const { set, tenant } = await work.load({ set: at(RateSet, id), tenant: settingsOf(work.context) });
  const { currency, entries } = addressed(work, set, 'rateset').data;
  const { timeZone } = settings(tenant);
  const days = { from: from ? dayGiven(timeZone, from) : null, to: to ? dayGiven(timeZone, to) : null };
  requireDays(days.from, days.to);
  const data = {
    name,
    currency,
    isDefault: false,
    ...days,
    entries: percent ? uplift(entries, percent, currency) : entries,
    ...givenReference(work.context, null),
  };
  return work.create(RateSet, newId('rateset'), [{ type: 'RateSetCreated', data }]);
}

export const rateSetHandlers = [
  CreateRateSetHandler,
  UpdateRateSetHandler,
  CopyRateSetHandler,
  DeleteRateSetHandler,
];
