import { given } from '#kernel/testing/given';
import { activate, deactivate, remove, update } from '../records/simple-record';
import { Employee } from './employee';
import type { EmployeeEvent } from './employee.events';

const entityId = 'entity_0198c2f1a4b87c3d9e5f60718293a4b5';
const divisionId = 'division_0198c2f1a4b87c3d9e5f60718293a4b5';
const created: EmployeeEvent = {
  type: 'EmployeeCreated',
  data: {
    entityId,
    initials: 'AO',
    divisionId,
    jobTitle: null,
    billingGrade: null,
    isFeeEarner: true,
    defaultRate: { amount: '250', currency: 'GBP' },
    externalReference: null,
    referenceOwner: null,
  },
};
const deactivated: EmployeeEvent = { type: 'EmployeeDeactivated', data: {} };
const deleted: EmployeeEvent = { type: 'EmployeeDeleted', data: {} };

describe('employees', () => {
  it('are active from the start, and can be deactivated and activated again', () => {
    given(Employee, [created])
      .when((state) => deactivate(Employee, state))
      .thenEvents([deactivated]);
    given(Employee, [created, deactivated])
      .when((state) => activate(Employee, state))
      .thenEvents([{ type: 'EmployeeActivated', data: {} }]);
  });

  it('do not change when they are activated or deactivated a second time', () => {
    given(Employee, [created])
      .when((state) => activate(Employee, state))
      .thenEvents([]);
    given(Employee, [created, deactivated])
      .when((state) => deactivate(Employee, state))
      .thenEvents([]);
  });

  it('record what changes', () => {
    given(Employee, [created])
      .when(() => update(Employee, { jobTitle: 'Partner' }))
      .thenEvents([{ type: 'EmployeeUpdated', data: { jobTitle: 'Partner' } }]);
  });

  it('are deleted only while nothing points at them', () => {
    given(Employee, [created])
      .when(() => remove(Employee, 3))
      .thenRefused('in_use');
    given(Employee, [created])
      .when(() => remove(Employee, 0))
      .thenEvents([deleted]);
  });

  it('hold their entity and their division until they are deleted', () => {
    const { state } = given(Employee, [created]);
    expect(Employee.links(state!)).toEqual([
      { kind: 'employee_entity', target: entityId },
      { kind: 'employee_division', target: divisionId },
    ]);
    expect(Employee.keys(state!)).toEqual([{ kind: 'entity_employee', key: entityId }]);
    const { state: gone } = given(Employee, [created, deleted]);
    expect([...Employee.links(gone!), ...Employee.keys(gone!)]).toEqual([]);
  });
});
