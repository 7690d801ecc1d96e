import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { PartialType } from '@nestjs/swagger';
import { EventStore, type Written } from '#event-store/event-store';
import { at, counter, linksTo } from '#event-store/load';
import { FlagField, TextField } from '#platform/http/input/fields';
import type { RequestContext } from '#platform/request-context';
import { Activity } from '../records/activity';
import { loadAddressed } from '../records/addressed-record';
import { addressed, RecordInput, recordChanges } from '../records/record';
import {
  ACTIVE_DIVISIONS,
  activateDivision,
  Division,
  type DivisionState,
  deactivateDivision,
  deleteDivision,
  updateDivision,
} from './division';
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

export class CreateDivision {
  constructor(
    readonly context: RequestContext,
    readonly body: DivisionInput,
  ) {}
}

export class UpdateDivision {
  constructor(
    readonly context: RequestContext,
    readonly id: string,
    readonly body: DivisionPatch,
  ) {}
}

export class ActivateDivision {
  constructor(
    readonly context: RequestContext,
    readonly id: string,
  ) {}
}

export class DeactivateDivision {
  constructor(
    readonly context: RequestContext,
    readonly id: string,
  ) {}
}

export class DeleteDivision {
  constructor(
    readonly context: RequestContext,
    readonly id: string,
  ) {}
}

type Done = Promise<Written<DivisionState>>;

@CommandHandler(CreateDivision)
export class CreateDivisionHandler implements ICommandHandler<CreateDivision> {
  constructor(private readonly store: EventStore) {}

  execute({ context, body }: CreateDivision): Done {
    return this.store.execute(context, (work) => createDivision(work, body));
  }
}

@CommandHandler(UpdateDivision)
export class UpdateDivisionHandler implements ICommandHandler<UpdateDivision> {
  constructor(private readonly store: EventStore) {}

  execute({ context, id, body }: UpdateDivision): Done {
    return this.store.execute(context, async (work) => {
      const division = await loadAddressed(work, Division, id);
      const changes = recordChanges(context, division.data, body, { isDefault: false });
      const after = work.change(Division, division, updateDivision(division.data, changes));
      if (changes.isDefault) await yieldDefault(work);
      return after;
    });
  }
}

@CommandHandler(ActivateDivision)
export class ActivateDivisionHandler implements ICommandHandler<ActivateDivision> {
  constructor(private readonly store: EventStore) {}

  execute({ context, id }: ActivateDivision): Done {
    return this.store.execute(context, async (work) => {
      const { division, active } = await work.load({
        division: at(Division, id),
        active: counter(ACTIVE_DIVISIONS),
      });
      const before = addressed(work, division, 'division');
      const events = activateDivision(before.data);
      if (events.length > 0) work.count(ACTIVE_DIVISIONS, active, active + 1);
      return work.change(Division, before, events);
    });
  }
}

@CommandHandler(DeactivateDivision)
export class DeactivateDivisionHandler implements ICommandHandler<DeactivateDivision> {
  constructor(private readonly store: EventStore) {}

  execute({ context, id }: DeactivateDivision): Done {
    return this.store.execute(context, async (work) => {
      const { division, active } = await work.load({
        division: at(Division, id),
        active: counter(ACTIVE_DIVISIONS),
      });
      const before = addressed(work, division, 'division');
      const events = deactivateDivision(before.data, active);
      if (events.length > 0) work.count(ACTIVE_DIVISIONS, active, active - 1);
      return work.change(Division, before, events);
    });
  }
}

@CommandHandler(DeleteDivision)
export class DeleteDivisionHandler implements ICommandHandler<DeleteDivision> {
  constructor(private readonly store: EventStore) {}

  execute({ context, id }: DeleteDivision): Done {
    return this.store.execute(context, async (work) => {
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
  }
}

export const divisionHandlers = [
  CreateDivisionHandler,
  UpdateDivisionHandler,
  ActivateDivisionHandler,
  DeactivateDivisionHandler,
  DeleteDivisionHandler,
];
