import { PartialType } from '@nestjs/swagger';
import { TextField } from '#platform/http/input/fields';
import { deleteAddressed } from '../records/addressed-record';
import { handlerOf, RecordCommand } from '../records/command';
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

export class DeleteRole extends RecordCommand {}

export const DeleteRoleHandler = handlerOf(DeleteRole, (work, { id }) =>
  deleteAddressed(work, Role, id, deleteRole),
);
