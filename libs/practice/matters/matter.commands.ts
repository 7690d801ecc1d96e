import { at, counter, linksTo, via } from '#event-store/load';
import type { UnitOfWork } from '#event-store/unit-of-work';
import { newId } from '#kernel/ids';
import { moneyFrom, numberGiven } from '#kernel/money';
import { Client, requireActiveClient } from '../clients/client.lookup';
import { deleteAddressed, loadAddressed } from '../records/addressed-record';
import { ChangeCommand, CreateCommand, handlerOf, RecordCommand } from '../records/command';
import { completed } from '../records/merge-patch';
import { follow, takeNumber } from '../records/numbering';
import { addressed, givenReference, recordChanges } from '../records/record';
import {
  archiveMatter,
  closeMatter,
  DRAFT_INVOICE,
  deleteMatter,
  MATTER_NUMBER,
  Matter,
  type MatterState,
  reopenMatter,
  UNBILLED_COST,
  UNBILLED_WORK,
  updateMatter,
  WORK,
} from './matter';
import type { MatterInput, MatterPatch } from './matter.input';
import { checkReferences, referencesOf } from './matter.references';

export class OpenMatter extends CreateCommand<MatterInput> {}

export class UpdateMatter extends ChangeCommand<MatterPatch> {}

export class CloseMatter extends RecordCommand {}

export class ReopenMatter extends RecordCommand {}

export class ArchiveMatter extends RecordCommand {}

export class DeleteMatter extends RecordCommand {}

export const OpenMatterHandler = handlerOf(OpenMatter, (work, { body }) => open(work, body));

export const UpdateMatterHandler = handlerOf(UpdateMatter, (work, { id, body }) => update(work, id, body));

export const CloseMatterHandler = handlerOf(CloseMatter, async (work, { id }) => {
  const { matter, ...unfinished } = await work.load({
    matter: at(Matter, id),
    work: linksTo(id, UNBILLED_WORK),
    costs: linksTo(id, UNBILLED_COST),
    drafts: linksTo(id, DRAFT_INVOICE),
  });
  const before = addressed(work, matter, 'matter');
  for (const kind of [UNBILLED_WORK, UNBILLED_COST, DRAFT_INVOICE]) work.requireUnlinked(id, kind);
  return work.change(Matter, before, closeMatter(before.data, unfinished, work.now));
});

export const ReopenMatterHandler = handlerOf(ReopenMatter, async (work, { id }) => {
  const { matter, client } = await work.load({
    matter: at(Matter, id),
    client: via(Client, id, 'clientId'),
  });
  const before = addressed(work, matter, 'matter');
  const events = reopenMatter(before.data);
  if (events.length > 0) requireActiveClient(client!);
  return work.change(Matter, before, events);
});

export const ArchiveMatterHandler = handlerOf(ArchiveMatter, async (work, { id }) => {
  const before = await loadAddressed(work, Matter, id);
  return work.change(Matter, before, archiveMatter(before.data, work.now));
});

export const DeleteMatterHandler = handlerOf(DeleteMatter, (work, { id }) =>
  deleteAddressed(work, Matter, id, deleteMatter),
);

async function open(work: UnitOfWork, body: MatterInput) {
  const { context } = work;
  const found = await work.load({ ...referencesOf(context, body), next: counter(MATTER_NUMBER) });
  const tenant = checkReferences(body, found);
  const { matterNumber: given, externalReference, dateOpened, ...fields } = body;
  const data = {
    clientId: fields.clientId,
    divisionId: fields.divisionId,
    title: fields.title,
    matterNumber: await takeNumber(work, Matter, MATTER_NUMBER, given, found.next),
    matterTypeId: fields.matterTypeId ?? null,
    responsiblePersonId: fields.responsiblePersonId ?? null,
    actingPersonId: fields.actingPersonId ?? null,
    assistingPersonId: fields.assistingPersonId ?? null,
    introducerId: fields.introducerId ?? null,
    billingContactId: fields.billingContactId ?? null,
    currency: fields.currency ?? tenant.currency,
    rateSetId: fields.rateSetId ?? null,
    taxCodeId: fields.taxCodeId ?? null,
    dateOpened: dateOpened ?? work.now.toISOString(),
    ...amounts({ feeEstimate: null, disbursementEstimate: null, minutesPerUnit: null, ...fields }),
    ...givenReference(context, externalReference),
  };
  return work.create(Matter, newId('matter'), [{ type: 'MatterCreated', data }]);
}

async function update(work: UnitOfWork, id: string, asked: MatterPatch) {
  const { context } = work;
  const found = await work.load({
    ...referencesOf(context, asked),
    matter: at(Matter, id),
    next: counter(MATTER_NUMBER),
    unbilled: linksTo(id, UNBILLED_WORK),
    costs: linksTo(id, UNBILLED_COST),
    drafts: linksTo(id, DRAFT_INVOICE),
    work: linksTo(id, WORK),
  });
  const before = addressed(work, found.matter, 'matter');
  const body = completed<MatterInput>(asked, before.data);
  const changes = recordChanges(
    context,
    before.data,
    { ...body, ...amounts(body) },
    {
      matterNumber: before.data.matterNumber,
      currency: before.data.currency,
      dateOpened: before.data.dateOpened,
    },
  );
  const changed = Object.fromEntries(Object.entries(changes).filter(([name]) => name in body));
  checkReferences({ ...changed, ...money(body) }, found);
  if (changes.clientId !== undefined) {
    for (const kind of [UNBILLED_WORK, UNBILLED_COST, DRAFT_INVOICE, WORK]) work.requireUnlinked(id, kind);
  }
  const { unbilled, costs, drafts, work: done } = found;
  const events = updateMatter(before.data, changes, unbilled + costs + drafts + done);
  if (changes.matterNumber !== undefined) follow(work, MATTER_NUMBER, changes.matterNumber, found.next);
  return work.change(Matter, before, events);
}

/** The estimates of a request, whose currency must be checked. */
function money({ feeEstimate, disbursementEstimate }: Partial<MatterInput>) {
  return { feeEstimate, disbursementEstimate };
}

/** Converts money and decimals to the form in which the state stores them; absent fields stay absent. */
function amounts({ feeEstimate, disbursementEstimate, minutesPerUnit }: Partial<MatterInput>) {
  return {
    ...(feeEstimate !== undefined && { feeEstimate: feeEstimate && moneyFrom(feeEstimate) }),
    ...(disbursementEstimate !== undefined && {
      disbursementEstimate: disbursementEstimate && moneyFrom(disbursementEstimate),
    }),
    ...(minutesPerUnit !== undefined && { minutesPerUnit: numberGiven(minutesPerUnit) }),
  } as Pick<MatterState, 'feeEstimate' | 'disbursementEstimate' | 'minutesPerUnit'>;
}

export const matterHandlers = [
  OpenMatterHandler,
  UpdateMatterHandler,
  CloseMatterHandler,
  ReopenMatterHandler,
  ArchiveMatterHandler,
  DeleteMatterHandler,
];
