import type { Id } from '#kernel/ids';
import type { RequestContext } from '#platform/request-context';
import { CreateRecord, CreateRecordHandler } from '../records/records.commands';
import { ListRecordsHandler } from '../records/records.queries';
import { roleWriting } from '../roles/role.commands';
import { type Firms, openFirms } from '../testing/projected-firms';
import { CreateEntity, CreateEntityHandler } from './entity.commands';
import { ListEntityRoles, ListEntityRolesHandler } from './entity.role-queries';
import { AssignRole, AssignRoleHandler, RemoveRole, RemoveRoleHandler } from './entity.roles';

describe("reading an entity's roles", () => {
  let firms: Firms;
  let context: RequestContext;
  beforeAll(async () => {
    firms = await openFirms(1);
    [context] = firms.contexts;
  });
  afterAll(() => firms.close());

  const create = async (lastName: string) => {
    const body = { entityType: 'Individual' as const, lastName };
    return (await new CreateEntityHandler(firms.store.store).execute(new CreateEntity(context, body))).record
      .id;
  };
  const rolesOf = async (id: string) => {
    const { reads, loader } = firms.store;
    const reply = await new ListEntityRolesHandler(reads, loader, new ListRecordsHandler(reads)).execute(
      new ListEntityRoles(context, id as Id, {}),
    );
    return (reply.body as { data: { rows: { name: string }[] } }).data.rows.map(({ name }) => name);
  };
  /** Retries after `position_not_reached`, as a caller does: on a busy machine the projector can be late. */
  const rolesAtLast = (id: string): Promise<string[]> =>
    rolesOf(id).catch((error) => {
      if (error.code !== 'position_not_reached') throw error;
      return rolesAtLast(id);
    });
  /** The roles that a read returns if the projector resumes only after the read has begun. */
  const readMeanwhile = async (id: string) => {
    const names = rolesAtLast(id);
    firms.parts.runner.start();
    const read = await names;
    await firms.parts.runner.stop();
    return read;
  };

  it('waits until the read models show the entity, and the roles that it was given or lost', async () => {
    await firms.parts.runner.stop();
    const id = await create('New');
    expect(await readMeanwhile(id)).toEqual([]);
    const role = await new CreateRecordHandler(firms.store.store).execute(
      new CreateRecord(context, roleWriting, { name: 'Executor' }),
    );
    await new AssignRoleHandler(firms.store.store).execute(new AssignRole(context, id, role.record.id));
    expect(await readMeanwhile(id)).toEqual(['Executor']);
    await new RemoveRoleHandler(firms.store.store).execute(new RemoveRole(context, id, role.record.id));
    expect(await readMeanwhile(id)).toEqual([]);
  });

  it('answers not_found only for an unknown entity, not for one that the read models do not show yet', async () => {
    const id = await create('Unseen');
    await expect(rolesOf(id)).rejects.toMatchObject({ code: 'position_not_reached' });
    await expect(rolesOf(`entity_${'0'.repeat(32)}`)).rejects.toMatchObject({ code: 'not_found' });
  });
});
