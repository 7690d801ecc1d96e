import type { Folded } from '#event-store/events';
import type { RequestContext } from '#platform/request-context';
import { createTestStore, type TestStore } from '../../../test/support/store';
import { Division } from '../divisions/division';
import {
  CreateDivision,
  CreateDivisionHandler,
  DeactivateDivision,
  DeactivateDivisionHandler,
  DeleteDivision,
  DeleteDivisionHandler,
} from '../divisions/division.commands';
import { divisionsProjection } from '../divisions/division.projection';
import { Entity } from '../entities/entity';
import { CreateEntity, CreateEntityHandler } from '../entities/entity.commands';
import { peopleProjection } from '../entities/entity.projection';
import {
  ActivateRecord,
  ActivateRecordHandler,
  CreateRecord,
  CreateRecordHandler,
  DeactivateRecord,
  DeactivateRecordHandler,
  DeleteRecord,
  DeleteRecordHandler,
  UpdateRecord,
  UpdateRecordHandler,
} from '../records/records.commands';
import { Tenant } from '../tenants/tenant';
import { createFirm, getRecord, listRecords, project } from '../testing/firm';
import { Employee, type EmployeeState } from './employee';
import { employeeWriting } from './employee.commands';
import type { EmployeeInput, EmployeePatch } from './employee.input';
import { employeesProjection } from './employee.projection';
import { employees, employeeView } from './employee.queries';

const projections = [peopleProjection, divisionsProjection, employeesProjection];

describe('employees on a real store', () => {
  let store: TestStore;
  let context: RequestContext;
  beforeAll(async () => {
    store = await createTestStore([Tenant, Entity, Division, Employee]);
  });
  beforeEach(async () => {
    context = await createFirm(store);
  });
  afterAll(() => store.close());

  const person = async (lastName: string, firstName: string | null = null, email: string | null = null) => {
    const command = new CreateEntity(context, { entityType: 'Individual', lastName, firstName, email });
    return (await new CreateEntityHandler(store.store).execute(command)).record.id;
  };
  const division = async (name: string) =>
    (await new CreateDivisionHandler(store.store).execute(new CreateDivision(context, { name }))).record.id;
  const closeDivision = (id: string) =>
    new DeactivateDivisionHandler(store.store).execute(new DeactivateDivision(context, id));
  const create = async (body: EmployeeInput) =>
    (await new CreateRecordHandler(store.store).execute(new CreateRecord(context, employeeWriting, body)))
      .record as Folded<EmployeeState>;
  const update = async (id: string, body: EmployeePatch) =>
    (await new UpdateRecordHandler(store.store).execute(new UpdateRecord(context, employeeWriting, id, body)))
      .record as Folded<EmployeeState>;
  const activate = async (id: string) =>
    (await new ActivateRecordHandler(store.store).execute(new ActivateRecord(context, employeeWriting, id)))
      .record as Folded<EmployeeState>;
  const deactivate = async (id: string) =>
    (
      await new DeactivateRecordHandler(store.store).execute(
        new DeactivateRecord(context, employeeWriting, id),
      )
    ).record as Folded<EmployeeState>;

  it('a write is answered with the fields of the employee, and a read with those of its entity and division too', async () => {
    const entityId = await person('Okafor', 'Ada', 'ada@example.com');
    const divisionId = await division('Litigation');
    const record = await create({
      entityId,
      divisionId,
      initials: 'AO',
      defaultRate: { Amount: 250.125, Currency: 'GBP' },
    });
    const own = {
      id: record.id,
      version: 1,
      isDeleted: false,
      entityId,
      state: 1,
      stateName: 'Active',
      initials: 'AO',
      divisionId,
      jobTitle: null,
      billingGrade: null,
      isFeeEarner: true,
      defaultRate: { Amount: 250.125, Currency: 'GBP' },
      externalReference: null,
    };
    expect(employeeView(record)).toEqual({ ...record.audit, ...own });
    await project(store, context, projections);
    expect(await getRecord(store, context, employees, record.id)).toEqual({
      ...record.audit,
      ...own,
      sortName: 'Okafor, Ada',
      fullName: 'Ada Okafor',
      email: 'ada@example.com',
      divisionName: 'Litigation',
    });
  });

  it('are found by name, division and state, in the order of their names', async () => {
    const divisionId = await division('Litigation');
    const zoe = await create({ entityId: await person('Zoe'), divisionId, isFeeEarner: false });
    const bob = await create({ entityId: await person('Bob'), initials: 'BB' });
    await deactivate(bob.id);
    await project(store, context, projections);
    const found = async (query: object) =>
      (await listRecords(store, context, employees, query)).map(({ id }) => id);
    expect(await found({})).toEqual([bob.id, zoe.id]);
    expect(await found({ keywords: 'zo' })).toEqual([zoe.id]);
    expect(await found({ keywords: 'bb' })).toEqual([bob.id]);
    expect(await found({ divisionId })).toEqual([zoe.id]);
    expect(await found({ isFeeEarner: true })).toEqual([bob.id]);
    expect(await found({ state: 2 })).toEqual([bob.id]);
    expect(await found({ entityId: zoe.data.entityId })).toEqual([zoe.id]);
  });

  it('only one is created of an entity when two requests come at once', async () => {
    const entityId = await person('Okafor');
    const outcomes = await Promise.allSettled([create({ entityId }), create({ entityId })]);
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    await expect(create({ entityId })).rejects.toMatchObject({ code: 'entity_employee_taken' });
  });

  it('cannot be given another entity', async () => {
    const { id } = await create({ entityId: await person('Okafor') });
    const other = await person('Quill');
    await expect(update(id, { entityId: other })).rejects.toMatchObject({
      fault: 'invalid',
      code: 'entity_fixed',
    });
  });

  it('are refused with an unknown entity, an unknown or inactive division, or an unsupported currency', async () => {
    const entityId = await person('Okafor');
    const unknown = '00000000000000000000000000000000';
    const closed = await division('Closed');
    await division('Open');
    await closeDivision(closed);
    const refusals: [EmployeeInput, string, string][] = [
      [{ entityId: `entity_${unknown}` }, 'entity_not_found', '/entityId'],
      [{ entityId, divisionId: `division_${unknown}` }, 'division_not_found', '/divisionId'],
      [{ entityId, divisionId: closed }, 'division_not_active', '/divisionId'],
      [
        { entityId, defaultRate: { Amount: 1, Currency: 'EUR' } },
        'currency_not_supported',
        '/defaultRate/Currency',
      ],
    ];
    for (const [body, code, pointer] of refusals) {
      await expect(create(body)).rejects.toMatchObject({ fault: 'invalid', code, errors: [{ pointer }] });
    }
  });

  it('have their division checked only when it changes, and keep it from being deleted', async () => {
    const divisionId = await division('Closing');
    await division('Open');
    const { id } = await create({ entityId: await person('Okafor'), divisionId });
    await closeDivision(divisionId);
    const after = await update(id, { divisionId, jobTitle: 'Partner', isFeeEarner: null });
    expect(after.data).toMatchObject({ divisionId, jobTitle: 'Partner', isFeeEarner: true });
    const remove = () =>
      new DeleteDivisionHandler(store.store).execute(new DeleteDivision(context, divisionId));
    await expect(remove()).rejects.toMatchObject({ code: 'in_use' });
    await update(id, { divisionId: null });
    await remove();
    await expect(update(id, { divisionId })).rejects.toMatchObject({ code: 'division_not_found' });
  });

  it('are deactivated, activated and deleted', async () => {
    const { id } = await create({ entityId: await person('Okafor') });
    expect((await deactivate(id)).data.state).toBe(2);
    const { version } = await deactivate(id);
    expect(await activate(id)).toMatchObject({ version: version + 1, data: { state: 1 } });
    await new DeleteRecordHandler(store.store).execute(new DeleteRecord(context, employeeWriting, id));
    await expect(activate(id)).rejects.toMatchObject({ fault: 'not_found' });
  });
});
