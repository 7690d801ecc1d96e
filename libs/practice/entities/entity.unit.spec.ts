import { given } from '#kernel/testing/given';
import {
  anonymiseEntity,
  assignRole,
  createEntity,
  deleteEntity,
  Entity,
  type EntityState,
  fullName,
  removeRole,
  sortName,
  updateEntity,
} from './entity';
import type { EntityEvent } from './entity.events';

const unset = {
  lastName: null,
  firstName: null,
  title: null,
  name: null,
  currency: 'GBP',
  email: null,
  phones: [],
  addresses: [],
  registrationNumber: null,
  taxNumber: null,
  externalReference: null,
  referenceOwner: null,
};
const ada = { ...unset, entityType: 'Individual' as const, lastName: 'Okafor', firstName: 'Ada' };
const acme = { ...unset, entityType: 'Organisation' as const, name: 'Acme Ltd' };
const created = (data: Parameters<typeof createEntity>[0]): EntityEvent => ({ type: 'EntityCreated', data });

describe('entities', () => {
  it('are created with the name fields of their type', () => {
    given(Entity, [])
      .when(() => createEntity(ada))
      .thenEvents([created(ada)]);
    given(Entity, [])
      .when(() => createEntity(acme))
      .thenEvents([created(acme)]);
  });

  it.each([
    ['an individual without a family name', { ...ada, lastName: null }, 'required'],
    ['a blank family name', { ...ada, lastName: ' ' }, 'required'],
    ['an organisation without a name', { ...acme, name: null }, 'required'],
    ['an individual with a name', { ...ada, name: 'Acme' }, 'not_applicable'],
    ['an organisation with a given name', { ...acme, firstName: 'Ada' }, 'not_applicable'],
  ])('refuse %s', (_case, data, code) => {
    given(Entity, [])
      .when(() => createEntity(data))
      .thenRefused(code);
  });

  it('record only what changes', () => {
    given(Entity, [created(ada)])
      .when((state) => updateEntity(state, { email: 'ada@example.com' }))
      .thenEvents([{ type: 'EntityUpdated', data: { email: 'ada@example.com' } }]);
    given(Entity, [created(ada)])
      .when((state) => updateEntity(state, {}))
      .thenEvents([]);
  });

  it('keep their type and their required name', () => {
    given(Entity, [created(ada)])
      .when((state) => updateEntity(state, { entityType: 'Organisation' }))
      .thenRefused('entity_type_fixed');
    given(Entity, [created(ada)])
      .when((state) => updateEntity(state, { lastName: null }))
      .thenRefused('required');
  });

  it('are deleted only while nothing points at them', () => {
    given(Entity, [created(ada)])
      .when(() => deleteEntity(1))
      .thenRefused('in_use');
    given(Entity, [created(ada)])
      .when(() => deleteEntity(0))
      .thenEvents([{ type: 'EntityDeleted', data: {} }]);
  });

  it('are given a role once, and lose it once', () => {
    const roleId = 'role_0198c2f1a4b87c3d9e5f60718293a4b5';
    const assigned: EntityEvent = { type: 'RoleAssigned', data: { roleId } };
    const removed: EntityEvent = { type: 'RoleRemoved', data: { roleId } };
    given(Entity, [created(ada)])
      .when((state) => assignRole(state, roleId))
      .thenEvents([assigned]);
    given(Entity, [created(ada), assigned])
      .when((state) => assignRole(state, roleId))
      .thenEvents([]);
    given(Entity, [created(ada), assigned])
      .when((state) => removeRole(state, roleId))
      .thenEvents([removed]);
    given(Entity, [created(ada), assigned, removed])
      .when((state) => removeRole(state, roleId))
      .thenEvents([]);
  });

  it('hold their roles until they are deleted', () => {
    const roleId = 'role_0198c2f1a4b87c3d9e5f60718293a4b5';
    const events: EntityEvent[] = [created(ada), { type: 'RoleAssigned', data: { roleId } }];
    expect(Entity.links(given(Entity, events).state!)).toEqual([{ kind: 'entity_role', target: roleId }]);
    const gone: EntityEvent = { type: 'EntityDeleted', data: {} };
    expect(Entity.links(given(Entity, [...events, gone]).state!)).toEqual([]);
  });

  it('have a sort name that begins with the family name, and a full name that begins with the given name', () => {
    expect([sortName(ada), fullName(ada)]).toEqual(['Okafor, Ada', 'Ada Okafor']);
    expect([sortName({ ...ada, firstName: null }), fullName({ ...ada, firstName: null })]).toEqual([
      'Okafor',
      'Okafor',
    ]);
    expect([sortName(acme), fullName(acme)]).toEqual(['Acme Ltd', 'Acme Ltd']);
  });

  it('once erased, are told apart by their ids', () => {
    const erased = { ...ada, ...Entity.personal!.erased('entity_0198c2f1a4b87c3d9e5f60718293a4b5') };
    expect(sortName(erased)).toBe('Erased a4b5');
    expect(Object.keys(Entity.personal!.erased('')).sort()).toEqual([...Entity.personal!.fields].sort());
  });

  describe('whose data is erased', () => {
    const id = 'entity_0198c2f1a4b87c3d9e5f60718293a4b5';
    const on = '2025-06-12T10:00:00.000Z';
    const roleId = 'role_0198c2f1a4b87c3d9e5f60718293a4b5';
    const erasure: EntityEvent = {
      type: 'EntityAnonymised',
      data: { shownAs: 'Erased a4b5', anonymisedOn: on },
    };
    const exported: EntityEvent = { type: 'EntityExported', data: {} };
    const full = {
      ...ada,
      title: 'Dr',
      email: 'ada@example.com',
      phones: ['1'],
      registrationNumber: '2',
      taxNumber: '3',
      externalReference: 'E1',
      referenceOwner: 'integration',
      addresses: [{ street: 'Quay', city: null, region: null, postcode: null, country: null }],
    };
    const erase = (openMatters: number) => (state: EntityState) =>
      anonymiseEntity(state, { id, openMatters, on });

    it('record the erasure only once', () => {
      given(Entity, [created(full)])
        .when(erase(0))
        .thenEvents([erasure]);
      given(Entity, [created(full), erasure])
        .when(erase(0))
        .thenEvents([]);
    });

    it('must have no open matter', () => {
      given(Entity, [created(full)])
        .when(erase(1))
        .thenRefused('open_matters');
      // An entity that is erased already is not refused.
      given(Entity, [created(full), erasure])
        .when(erase(1))
        .thenEvents([]);
    });

    it('have only what the store shows of them without their key', () => {
      const { state } = given(Entity, [created(full), exported, erasure]);
      const shown = Entity.personal!.erased(id);
      expect(state).toEqual({ ...given(Entity, [created(full)]).state!, ...shown, anonymisedOn: on });
      expect(Entity.keys(state!)).toEqual([]);
    });

    it('cannot be changed or given a role, but can lose a role and be deleted', () => {
      const assigned: EntityEvent = { type: 'RoleAssigned', data: { roleId } };
      const all = [created(full), assigned, erasure];
      given(Entity, all)
        .when((state) => updateEntity(state, { currency: 'EUR' }))
        .thenRefused('anonymised');
      given(Entity, all)
        .when((state) => assignRole(state, `${roleId.slice(0, -1)}6`))
        .thenRefused('anonymised');
      given(Entity, all)
        .when((state) => removeRole(state, roleId))
        .thenEvents([{ type: 'RoleRemoved', data: { roleId } }]);
      given(Entity, all)
        .when(() => deleteEntity(0))
        .thenEvents([{ type: 'EntityDeleted', data: {} }]);
    });
  });
});
