import { at, holding, linksTo } from '#event-store/load';
import type { UnitOfWork } from '#event-store/unit-of-work';
import { invalid } from '#kernel/errors';
import { newId } from '#kernel/ids';
import { dayGiven } from '#kernel/zone';
import { ChangeCommand, CreateCommand, handlerOf, RecordCommand } from '../records/command';
import { addressed, givenReference } from '../records/record';
import { remove } from '../records/simple-record';
import { createRecord, updateRecord } from '../records/write-record';
import { settings, settingsOf } from '../tenants/tenant.lookup';
import { DEFAULT_RATE_SET, RateSet, refuseDefault, requireDays, uplift } from './rate-set';
import type { RateSetCopyInput, RateSetInput, RateSetPatch } from './rate-set.input';
import { rateSetWriting } from './rate-set.writing';

export class CreateRateSet extends CreateCommand<RateSetInput> {}

export class UpdateRateSet extends ChangeCommand<RateSetPatch> {}

export class CopyRateSet extends ChangeCommand<RateSetCopyInput> {}

export class DeleteRateSet extends RecordCommand {}

export const CreateRateSetHandler = handlerOf(CreateRateSet, async (work, { body }) => {
  const made = await createRecord(work, rateSetWriting, body);
  if (body.isDefault) await yieldDefault(work, made.id);
  return made;
});

export const UpdateRateSetHandler = handlerOf(UpdateRateSet, async (work, { id, body }) => {
  const changed = await updateRecord(work, rateSetWriting, id, body);
  if (body.isDefault) await yieldDefault(work, id);
  return changed;
});

/** Creates a set with the entries of another one, raised by a percentage if given. The copy is never the default. */
export const CopyRateSetHandler = handlerOf(CopyRateSet, (work, { id, body }) => copy(work, id, body));

export const DeleteRateSetHandler = handlerOf(DeleteRateSet, async (work, { id }) => {
  const { set, uses } = await work.load({ set: at(RateSet, id), uses: linksTo(id) });
  const before = addressed(work, set, 'rateset');
  refuseDefault(before.data);
  work.requireUnlinked(id);
  return work.change(RateSet, before, remove(RateSet, uses));
});

/** Makes the present default rate set an ordinary one, unless it is the given one. */
async function yieldDefault(work: UnitOfWork, to: string): Promise<void> {
  const { holder } = await work.load({ holder: holding(RateSet, DEFAULT_RATE_SET) });
  if (holder && holder.id !== to)
    work.change(RateSet, holder, [{ type: 'RateSetUpdated', data: { isDefault: false } }]);
}

async function copy(work: UnitOfWork, id: string, { name, from, to, percent }: RateSetCopyInput) {
  const { set, tenant } = await work.load({ set: at(RateSet, id), tenant: settingsOf(work.context) });
  const { currency, entries } = addressed(work, set, 'rateset').data;
  const { timeZone, currency: base } = settings(tenant);
  // The request has no field for it to point at.
  if (currency !== base)
    throw invalid(
      'currency_not_supported',
      `The rate set is in ${currency}; only the base currency ${base} is accepted.`,
    );
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
