import { PartialType } from '@nestjs/swagger';
import { at, counter, linksTo } from '#event-store/load';
import { FlagField, TextField } from '#platform/http/input/fields';
import { Activity } from '../records/activity';
import { loadAddressed } from '../records/addressed-record';
import { ChangeCommand, CreateCommand, handlerOf, RecordCommand } from '../records/command';
import { addressed, RecordInput, recordChanges } from '../records/record';
import { activate } from '../records/simple-record';
import { ACTIVE_DIVISIONS, Division, deactivateDivision, deleteDivision, updateDivision } from './division';
import { createDivision, yieldDefault } from './division.lookup';

export class DivisionInput extends RecordInput {
  @TextField({ max: 20, example: 'CON' })
  code?: string | null;

  @TextField({ required: true, example: 'Conveyancing' })
  name: string;

  @FlagField({ description: 'True makes this the default division, in place of the present one.' })
  isDefault?: boolean | null;
}

export class DivisionPatch extends PartialType(DivisionInput, { skipNullProperties: false }) {}

export class CreateDivision extends CreateCommand<DivisionInput> {}

export class UpdateDivision extends ChangeCommand<DivisionPatch> {}

export class ActivateDivision extends RecordCommand {}

export class DeactivateDivision extends RecordCommand {}

export class DeleteDivision extends RecordCommand {}

export const CreateDivisionHandler = handlerOf(CreateDivision, (work, { body }) =>
  createDivision(work, body),
);

export const UpdateDivisionHandler = handlerOf(UpdateDivision, async (work, { id, body }) => {
  const division = await loadAddressed(work, Division, id);
  const changes = recordChanges(work.context, division.data, body, { isDefault: false });
  const after = work.change(Division, division, updateDivision(division.data, changes));
  if (changes.isDefault) await yieldDefault(work);
  return after;
});

export const ActivateDivisionHandler = handlerOf(ActivateDivision, async (work, { id }) => {
  const { division, active } = await work.load({
    division: at(Division, id),
    active: counter(ACTIVE_DIVISIONS),
  });
  const before = addressed(work, division, 'division');
  const events = activate(Division, before.data);
  if (events.length > 0) work.count(ACTIVE_DIVISIONS, active, active + 1);
  return work.change(Division, before, events);
});

export const DeactivateDivisionHandler = handlerOf(DeactivateDivision, async (work, { id }) => {
  const { division, active } = await work.load({
    division: at(Division, id),
    active: counter(ACTIVE_DIVISIONS),
  });
  const before = addressed(work, division, 'division');
  const events = deactivateDivision(before.data, active);
  if (events.length > 0) work.count(ACTIVE_DIVISIONS, active, active - 1);
  return work.change(Division, before, events);
});

export const DeleteDivisionHandler = handlerOf(DeleteDivision, async (work, { id }) => {
  const { division, active, uses } = await work.load({
    division: at(Division, id),
    active: counter(ACTIVE_DIVISIONS),
    uses: linksTo(id),
  });
  const before = addressed(work, division, 'division');
  const events = deleteDivision(before.data, uses, active);
  work.requireUnlinked(id);
  if (before.data.state === Activity.Active) work.count(ACTIVE_DIVISIONS, active, active - 1);
  return work.change(Division, before, events);
});

export const divisionHandlers = [
  CreateDivisionHandler,
  UpdateDivisionHandler,
  ActivateDivisionHandler,
  DeactivateDivisionHandler,
  DeleteDivisionHandler,
];
