import { TaskType } from '#practice/task-types/task-type';
import { firm, ImportedFirm, work } from '../testing/imported-firm';

describe('rows whose codes other records of the tenant have taken since their import', () => {
  let office: ImportedFirm;
  let id: string;

  beforeAll(async () => {
    office = await ImportedFirm.open();
    await office.happens(TaskType, office.idOf('TaskType', 'TT-3'), 'TaskTypeDeleted');
    const task = { code: 'XX3', name: 'New', itemType: null, isBillable: true };
    id = await office.begins(TaskType, 'tasktype', 'TaskTypeCreated', {
      ...task,
      phaseCode: null,
      taskCode: null,
      activityCode: null,
      narration: null,
      rate: null,
    });
  });
  afterEach(() => office?.finish());
  afterAll(() => office?.close());

  it('are skipped as long as they are unchanged', async () => {
    expect(await office.found({})).toEqual([]);
    expect(await office.promote(firm)).toMatchObject({ created: 0, changed: 0 });
  });

  it('get a finding when the staging tenant needs the other record too', async () => {
    const more = { WorkItem: [work('N-1', { MatterId: 'MAT-3', TaskTypeId: id })] };
    expect(await office.found(more)).toEqual(['code_taken TaskType TT-3 Code']);
  });

  it('get findings when they have changed', async () => {
    const [third, ...others] = [...firm.TaskType].reverse();
    const base = { ...firm, TaskType: [{ ...third, Name: 'Other' }, ...others] };
    expect(await office.found({}, base)).toEqual([
      'code_taken TaskType TT-3 Code',
      'edited_since_import TaskType TT-3',
    ]);
  });
});
