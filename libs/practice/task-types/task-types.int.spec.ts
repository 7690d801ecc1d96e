import type { RequestContext } from '#platform/request-context';
import { createTestStore, type TestStore } from '../../../test/support/store';
import { CreateRecord, CreateRecordHandler } from '../records/records.commands';
import { Tenant } from '../tenants/tenant';
import { createFirm, listRecords, project } from '../testing/firm';
import { TaskType } from './task-type';
import { taskTypeWriting } from './task-type.commands';
import { createTaskTypes, utbms } from './task-type.lookup';
import { taskTypesProjection } from './task-type.projection';
import { taskTypes } from './task-type.queries';

describe('the task types that a tenant begins with', () => {
  let store: TestStore;
  let context: RequestContext;

  beforeAll(async () => {
    store = await createTestStore([Tenant, TaskType]);
    context = await createFirm(store);
    await store.store.executeMany(context, async (work) => createTaskTypes(work, utbms));
    await project(store, context, [taskTypesProjection]);
  });
  afterAll(() => store.close());

  it('are those of UTBMS, listed by code', async () => {
    const rows = await listRecords(store, context, taskTypes, { pageSize: 200 });
    expect(rows.map(({ code }) => code)).toEqual(utbms.map(({ code }) => code).sort());
    expect(rows[0]).toMatchObject({ state: 1, isBillable: true, rate: null, itemType: null });
    const phase = await listRecords(store, context, taskTypes, { phaseCode: 'B400' });
    expect(phase.map(({ name }) => name)).toEqual([
      'Bankruptcy-Related Advice',
      'General Bankruptcy Advice/Opinions',
      'Restructurings',
    ]);
  });

  it('have codes that no other task type can take', async () => {
    const again = new CreateRecord(context, taskTypeWriting, { code: 'A101', name: 'Again' });
    await expect(new CreateRecordHandler(store.store).execute(again)).rejects.toMatchObject({
      code: 'task_type_code_taken',
    });
  });
});
