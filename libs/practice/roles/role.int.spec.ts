import type { RequestContext } from '#platform/request-context';
import { createContext, createTestStore, type TestStore } from '../../../test/support/store';
import { Entity } from '../entities/entity';
import { CreateEntity, CreateEntityHandler } from '../entities/entity.commands';
import { AssignRole, AssignRoleHandler } from '../entities/entity.roles';
import { CreateRecord, CreateRecordHandler } from '../records/records.commands';
import { Tenant } from '../tenants/tenant';
import { createFirm, listRecords, project } from '../testing/firm';
import { Role } from './role';
import { DeleteRole, DeleteRoleHandler, roleWriting } from './role.commands';
import { createSystemRoles } from './role.lookup';
import { rolesProjection } from './role.projection';
import { roles } from './role.queries';

describe('roles on a real store', () => {
  let store: TestStore;
  let context: RequestContext;
  beforeAll(async () => {
    store = await createTestStore([Tenant, Entity, Role]);
    context = await createFirm(store);
  });
  afterAll(() => store.close());

  const create = async (name: string) =>
    (await new CreateRecordHandler(store.store).execute(new CreateRecord(context, roleWriting, { name })))
      .record.id;

  it('of the system are those of clients, employees and suppliers', async () => {
    const firm = await createContext(store);
    await store.store.executeMany(firm, async (work) => createSystemRoles(work));
    await project(store, firm, [rolesProjection]);
    const rows = await listRecords(store, firm, roles, { kind: 'System' });
    expect(rows.map(({ name, version }) => [name, version])).toEqual([
      ['Client', 1],
      ['Employee', 1],
      ['Supplier', 1],
    ]);
  });

  it('are either assigned or deleted, never both, when both are requested at once', async () => {
    const body = { entityType: 'Individual' as const, lastName: 'Okafor' };
    const { id } = (await new CreateEntityHandler(store.store).execute(new CreateEntity(context, body)))
      .record;
    for (let time = 0; time < 10; time++) {
      const role = await create(`Role ${time}`);
      const outcomes = await Promise.allSettled([
        new AssignRoleHandler(store.store).execute(new AssignRole(context, id, role)),
        new DeleteRoleHandler(store.store).execute(new DeleteRole(context, role)),
      ]);
      expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
      const { reason } = outcomes.find(({ status }) => status === 'rejected') as PromiseRejectedResult;
      expect(['in_use', 'not_found']).toContain(reason.code);
    }
  });

  it('are created once under a name when two requests come at once', async () => {
    const outcomes = await Promise.allSettled(['Witness', 'witness '].map(create));
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    await expect(create('WITNESS')).rejects.toMatchObject({ fault: 'conflict', code: 'role_name_taken' });
  });
});
