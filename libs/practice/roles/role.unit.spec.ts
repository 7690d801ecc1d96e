import { given } from '#kernel/testing/given';
import { update } from '../records/simple-record';
import { deleteRole, Role, requireCustom, roleName } from './role';

const unreferenced = { externalReference: null, referenceOwner: null };
const created = (name: string, kind: string) => ({
  type: 'RoleCreated',
  data: { name, kind, ...unreferenced },
});
const deleted = { type: 'RoleDeleted', data: {} };

describe('roles', () => {
  it('are renamed, and deleted while nobody has them', () => {
    given(Role, [created('Witness', 'Custom')])
      .when(() => update(Role, { name: 'Expert witness' }))
      .thenEvents([{ type: 'RoleUpdated', data: { name: 'Expert witness' } }]);
    given(Role, [created('Witness', 'Custom')])
      .when((state) => deleteRole(0, state))
      .thenEvents([deleted]);
    given(Role, [created('Witness', 'Custom')])
      .when((state) => deleteRole(2, state))
      .thenRefused('in_use');
  });

  it('of the system cannot be changed or deleted', () => {
    given(Role, [created('Client', 'System')])
      .when((state) => deleteRole(0, state))
      .thenRefused('system_role');
    given(Role, [created('Client', 'System')])
      .when((state) => requireCustom(state) ?? [])
      .thenRefused('system_role');
  });

  it('hold their name, however it is capitalised, until they are deleted', () => {
    const { state } = given(Role, [created(' Expert Witness', 'Custom')]);
    expect(Role.keys(state!)).toEqual([roleName('expert witness')]);
    expect(Role.keys(given(Role, [created('Witness', 'Custom'), deleted]).state!)).toEqual([]);
  });
});
