import type { RequestContext } from '#platform/request-context';
import { AnonymiseEntity, AnonymiseEntityHandler } from '#practice/entities/entity.anonymise';
import { CreateEntity, CreateEntityHandler } from '#practice/entities/entity.commands';
import { type Firms, openFirms } from '#practice/testing/projected-firms';

describe('an audit of people when some were erased after the last event of the read model', () => {
  let firms: Firms;
  let one: RequestContext;

  beforeAll(async () => {
    firms = await openFirms(2);
    [one] = firms.contexts;
  });
  afterAll(() => firms.close());

  async function person(): Promise<string> {
    const command = new CreateEntity(one, { entityType: 'Individual', lastName: 'Quillfeather' });
    return (await new CreateEntityHandler(firms.store.store).execute(command)).record.id;
  }
  const erase = (id: string) =>
    new AnonymiseEntityHandler(firms.store.store).execute(new AnonymiseEntity(one, id));

  it.each([undefined, new Date('2199-01-01T00:00:00Z')])(
    'leaves out erased people whom the read model still shows, and finds other differences (as of %p)',
    async (asOf) => {
      const [erased, tampered] = [await person(), await person()];
      await firms.settled();
      const before = await firms.parts.audit.audit('people', { asOf });
      await firms.parts.runner.stop();
      await erase(erased);
      expect(await firms.parts.audit.audit('people', { asOf })).toMatchObject({
        ...before,
        rows: before.rows - 1,
        changedSince: before.changedSince + 1,
        differing: 0,
      });

      const uuid = tampered.slice('entity_'.length);
      const change = `update read_model.people set email = 'other@example.com' where id = $1`;
      const found = await firms.tampered('people', change, [uuid], () =>
        firms.parts.audit.audit('people', { asOf }),
      );
      expect(found.differences.map(({ key, columns }) => [key.replaceAll('-', ''), columns])).toEqual([
        [uuid, ['email']],
      ]);

      firms.parts.runner.start();
      await firms.settled();
      expect(await firms.parts.audit.audit('people', { asOf })).toMatchObject({
        rows: before.rows,
        changedSince: before.changedSince,
        differing: 0,
      });
    },
  );
});
