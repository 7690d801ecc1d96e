import { given } from '#kernel/testing/given';
import { Activity } from '../records/activity';
import { activate, deactivate, remove, update } from '../records/simple-record';
import { NEW_TASK_TYPE, TaskType } from './task-type';

const reference = { externalReference: null, referenceOwner: null };
const created = {
  type: 'TaskTypeCreated',
  data: { ...NEW_TASK_TYPE, code: 'L120', name: 'Analysis', ...reference },
};

describe('a task type', () => {
  it('is active and billable at first, and holds its code', () => {
    const { state } = given(TaskType, [created]);
    expect(state).toMatchObject({ state: Activity.Active, isBillable: true, rate: null, isDeleted: false });
    expect(TaskType.keys(state!)).toEqual([{ kind: 'task_type_code', key: 'L120' }]);
    expect(TaskType.links(state!)).toEqual([]);
  });

  it('holds its new code after a change, and frees its code when it is deleted', () => {
    const [renamed] = update(TaskType, { code: 'L121' });
    const { state } = given(TaskType, [created, renamed]);
    expect(TaskType.keys(state!)).toEqual([{ kind: 'task_type_code', key: 'L121' }]);
    const gone = given(TaskType, [created, { type: 'TaskTypeDeleted', data: {} }]);
    expect(TaskType.keys(gone.state!)).toEqual([]);
  });

  it('can be deactivated, and makes no event when it is activated while active', () => {
    given(TaskType, [created])
      .when((state) => activate(TaskType, state))
      .thenEvents([]);
    given(TaskType, [created])
      .when((state) => deactivate(TaskType, state))
      .thenEvents([{ type: 'TaskTypeDeactivated', data: {} }]);
  });

  it('cannot be deleted while something refers to it', () => {
    given(TaskType, [created])
      .when(() => remove(TaskType, 2))
      .thenRefused('in_use');
  });
});
