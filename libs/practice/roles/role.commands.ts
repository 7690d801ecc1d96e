import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { PartialType } from '@nestjs/swagger';
import { EventStore, type Written } from '#event-store/event-store';
import { TextField } from '#platform/http/input/fields';
import type { RequestContext } from '#platform/request-context';
import { deleteAddressed } from '../records/addressed-record';
import { RecordInput } from '../records/record';
import type { RecordWriting } from '../records/write-record';
import { deleteRole, Role, type RoleState, requireCustom } from './role';

export class RoleInput extends RecordInput {
  @TextField({
    required: true,
    max: 100,
    example: 'Expert witness',
    description: 'Must be unique. Upper and lower case make no difference.',
  })
  name: string;
}

export class RolePatch extends PartialType(RoleInput, { skipNullProperties: false }) {}

export const roleWriting: RecordWriting<RoleState, RoleInput, Record<string, never>> = {
  definition: Role,
  defaults: { name: '', kind: 'Custom' },
  asks: () => ({}),
  check({ given, before }) {
    if (before && Object.keys(given).length > 0) requireCustom(before.data);
  },
};

export class DeleteRole {
  constructor(
    readonly context: RequestContext,
    readonly id: string,
  ) {}
}

@CommandHandler(DeleteRole)
export class DeleteRoleHandler implements ICommandHandler<DeleteRole> {
  constructor(private readonly store: EventStore) {}

  execute({ context, id }: DeleteRole): Promise<Written<RoleState>> {
    return this.store.execute(context, (work) => deleteAddressed(work, Role, id, deleteRole));
  }
}
