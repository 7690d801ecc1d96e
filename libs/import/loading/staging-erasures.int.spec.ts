import { toId } from '#kernel/ids';
import type { RegisteredTenant } from '#platform/auth/tenants';
import { AnonymiseEntity, AnonymiseEntityHandler } from '#practice/entities/entity.anonymise';
import { writeFirm } from '../../../test/support/firms/write-firm';
import { waitFor } from '../../../test/support/wait-for';
import { type Imports, openImports } from '../testing/import-parts';
import { promotionParts } from '../testing/promotion-parts';
import { stageSource } from '../testing/staged-source';

describe('an imported person whose data is erased', () => {
  let imports: Imports;
  let first: RegisteredTenant;
  let second: RegisteredTenant;
  /** UUIDs of people who are employees. */
  let people: string[];

  beforeAll(async () => {
    imports = await openImports();
    await imports.dropStandardCodes();
    await writeFirm(imports.client, { items: 40 });
    imports.runner.start();
    first = await load();
    second = await load();
    const { staged, promotion, over } = promotionParts(imports);
    const turn = await staged();
    await promotion.promote(turn);
    await over(turn);
    const rows = await imports.sql<{ id: string }>(
      'select entity_id as id from read_model.employees where tenant_id = $1 order by 1',
      [imports.tenant.id],
    );
    people = rows.map(({ id }) => id);
  });
  afterAll(() => imports.close());

  async function load(): Promise<RegisteredTenant> {
    const run = await imports.run();
    await stageSource(imports.client, run.staging);
    const staging = await imports.loading().load(run);
    await imports.finish(run);
    return staging;
  }

  const erase = (tenant: RegisteredTenant, person: string) =>
    new AnonymiseEntityHandler(imports.store.store).execute(
      new AnonymiseEntity(imports.contextOf(tenant), toId('entity', person)),
    );

  /** The person's name as each tenant shows it, by tenant. */
  async function shown(person: string): Promise<Record<number, string>> {
    const rows = await imports.sql<{ id: number; name: string }>(
      `select tenant_id as id, sort_name as name from read_model.people
       where id = $1 and generation = read_model.live_generation('people', tenant_id)`,
      [person],
    );
    return Object.fromEntries(rows.map(({ id, name }) => [id, name]));
  }

  const keys = (person: string) =>
    imports.sql('select from event_store.subject_keys where subject = $1 and wrapped is not null', [person]);

  it('is erased in the staging tenant too, and in a retired one', async () => {
    const [person] = people;
    const name = `Erased ${person.slice(-4)}`;
    const before = await shown(person);
    expect(Object.keys(before).sort()).toEqual([imports.tenant.id, first.id, second.id].map(String).sort());
    expect(await imports.stagingErasures.repeat()).toBe(0);

    await erase(imports.tenant, person);
    expect(await imports.stagingErasures.repeat()).toBe(2);
    expect(await keys(person)).toEqual([]);
    const all = Object.fromEntries(Object.keys(before).map((id) => [id, name]));
    await waitFor(async () => JSON.stringify(await shown(person)) === JSON.stringify(all), {
      description: 'the read models to show the erasure',
    });
    expect(await imports.stagingErasures.repeat()).toBe(0);
  });

  it('is not erased in the tenant itself when it is erased in a staging tenant', async () => {
    const [, person] = people;
    await erase(second, person);
    expect(await imports.stagingErasures.repeat()).toBe(0);
    expect(await keys(person)).toHaveLength(2);
  });

  it('is not erased in a staging tenant before that has been loaded', async () => {
    const [, , person] = people;
    await erase(imports.tenant, person);
    const setStatus = (status: string) =>
      imports.client.query('update import.requests set status = $2 where staging_tenant_id = $1', [
        second.id,
        status,
      ]);
    await setStatus('Loading');
    expect(await imports.stagingErasures.repeat()).toBe(1);
    expect(await keys(person)).toHaveLength(1);
    await setStatus('Validated');
    expect(await imports.stagingErasures.repeat()).toBe(1);
    expect(await keys(person)).toEqual([]);
  });
});
