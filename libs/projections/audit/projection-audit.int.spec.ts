import type { RequestContext } from '#platform/request-context';
import { allProjections, type Firms, openFirms } from '#practice/testing/projected-firms';
import { waitFor } from '../../../test/support/wait-for';

const names = allProjections.map(({ name }) => name);
const STRANGER = 999_999;

describe('an audit of read models', () => {
  let firms: Firms;
  let one: RequestContext;
  let two: RequestContext;

  beforeAll(async () => {
    firms = await openFirms(2);
    [one, two] = firms.contexts;
  });
  afterAll(() => firms.close());

  const audit = (name: string, options?: { tenant?: string; asOf?: Date }) =>
    firms.parts.audit.audit(name, options);

  /** Ids of a tenant's rows, in order. */
  const ids = async (table: string, { tenant }: RequestContext) => {
    const rows = await firms.sql<{ id: string }>(
      `select id from read_model.${table} where tenant_id = $1 order by id`,
      [tenant.id],
    );
    return rows.map(({ id }) => id);
  };

  it('finds no difference in intact read models while writes and the runner go on', async () => {
    let more = true;
    const writing = (async () => {
      for (let number = 0; more; number++) await firms.createDivision(number % 2 ? one : two, 'During');
    })();
    for (const name of names) {
      const { differing, rows, events, differences } = await audit(name);
      expect({ name, differing, differences }).toEqual({ name, differing: 0, differences: [] });
      expect(rows).toBeGreaterThan(1);
      expect(events).toBeGreaterThanOrEqual(rows);
    }
    more = false;
    await writing;
    await firms.settled();
  });

  it.each([
    ['work-items', 'work_items', ['rate'], 'rate = rate + 0.0000000001'],
    ['work-items', 'work_items', ['duration_ticks'], 'duration_ticks = duration_ticks + 1'],
    ['work-items', 'work_items', ['is_billable'], 'is_billable = not is_billable'],
    ['work-items', 'work_items', ['entry_day'], 'entry_day = entry_day + 1'],
    ['work-items', 'work_items', ['task_type_id'], 'task_type_id = id'],
    ['matters', 'matters', ['state'], `state = (state::jsonb || '{"title": "Secret"}')::json`],
    ['matters', 'matters', ['search'], `search = 'secret'`],
    ['matters', 'matters', ['changed_position'], 'changed_position = changed_position + 1'],
    [
      'matters',
      'matters',
      ['changed_epoch', 'changed_transaction_id'],
      `changed_epoch = 0, changed_transaction_id = '3'`,
    ],
    ['people', 'people', ['full_name'], `full_name = 'Secret'`],
    ['people', 'people', ['email'], `email = case when email is null then '' end`],
    ['people', 'people', ['updated_on'], `updated_on = updated_on + interval '1 microsecond'`],
    ['fee-analysis', 'fee_analysis', ['finalised'], 'finalised = finalised + 0.0001'],
    ['fee-analysis', 'fee_analysis', ['billed'], 'billed = 1'],
  ] as [string, string, string[], string][])(
    'reports a changed row of %s with its key and columns, but no values: %s %p',
    async (name, table, columns, change) => {
      const [id] = await ids(table, one);
      const statement = `update read_model.${table} set ${change} where tenant_id = $1 and id = $2`;
      const found = await firms.tampered(table, statement, [one.tenant.id, id], () => audit(name));
      expect(found).toMatchObject({ differing: 1 });
      const key = table === 'fee_analysis' ? `${id}/0` : id;
      expect(found.differences).toEqual([
        { tenant: one.tenant.alias, table, key, problem: 'differs from the events', columns },
      ]);
      expect(JSON.stringify(found)).not.toMatch(/secret/i);
    },
  );

  it('finds a missing row, a row without events, and a row of an unknown tenant', async () => {
    const [id] = await ids('divisions', one);
    const finding = { table: 'divisions', columns: [] };
    const where = 'where tenant_id = $1 and id = $2';
    const remove = `delete from read_model.divisions ${where}`;
    const gone = await firms.tampered('divisions', remove, [one.tenant.id, id], () => audit('divisions'));
    expect(gone.differences).toEqual([{ ...finding, tenant: one.tenant.alias, key: id, problem: 'missing' }]);

    const made = '00000000-0000-4000-8000-000000000001';
    const copies = `insert into read_model.divisions
      select (jsonb_populate_record(d, jsonb_build_object('tenant_id', t, 'id', $3::text))).*
      from read_model.divisions d, unnest(array[$1::int, ${STRANGER}]) t ${where.replace('$1', '$1::int')}`;
    const more = await firms.tampered('divisions', copies, [one.tenant.id, id, made], () =>
      audit('divisions'),
    );
    const problem = 'not in the events';
    expect(more.differences).toEqual([
      { ...finding, tenant: one.tenant.alias, key: made, problem },
      { ...finding, tenant: `unknown (${STRANGER})`, key: made, problem },
    ]);
  });

  it('finds a row that was given to another tenant in both tenants, and looks at one tenant when asked to', async () => {
    const [id] = await ids('clients', one);
    const move = 'update read_model.clients set tenant_id = $1 where tenant_id = $2 and id = $3';
    const values = [two.tenant.id, one.tenant.id, id];
    await firms.tampered('clients', move, values, async () => {
      const [missing, extra] = [
        { tenant: one.tenant.alias, table: 'clients', key: id, problem: 'missing', columns: [] },
        { tenant: two.tenant.alias, table: 'clients', key: id, problem: 'not in the events', columns: [] },
      ];
      const { differences } = await audit('clients');
      expect(differences).toHaveLength(2);
      expect(differences).toEqual(expect.arrayContaining([missing, extra]));
      expect((await audit('clients', { tenant: one.tenant.alias })).differences).toEqual([missing]);
      expect((await audit('clients', { tenant: two.tenant.alias })).differences).toEqual([extra]);
    });
    const away = 'update read_model.clients set tenant_id = $1 where tenant_id = $2 and id = $3';
    await firms.tampered('clients', away, [STRANGER, one.tenant.id, id], async () => {
      expect((await audit('clients', { tenant: two.tenant.alias })).differing).toBe(0);
      expect((await audit('clients')).differing).toBe(2);
    });
    await expect(audit('clients', { tenant: 'nobody' })).rejects.toMatchObject({ code: 'tenant_not_found' });
    await expect(audit('nothing')).rejects.toMatchObject({ code: 'unknown_projection' });
  });

  it('lists a hundred differences and counts all of them', async () => {
    const [id] = await ids('divisions', one);
    const many = `insert into read_model.divisions
      select (jsonb_populate_record(d, jsonb_build_object('tenant_id', t, 'id', gen_random_uuid()))).*
      from read_model.divisions d, unnest(array[$1::int, ${STRANGER}]) t, generate_series(1, 6000)
      where tenant_id = $1::int and id = $2`;
    await firms.tampered('divisions', many, [one.tenant.id, id], async () => {
      const { differing, differences } = await audit('divisions');
      expect(differing).toBe(12_000);
      expect(differences).toHaveLength(100);
    });
  });

  it('compares a read model that is behind at the position where it stands', async () => {
    const before = await audit('divisions');
    await firms.parts.runner.stop();
    const late = await firms.createDivision(one, 'Late');
    const behind = await audit('divisions');
    expect(behind).toEqual(before);
    firms.parts.runner.start();
    await waitFor(
      async () => (await ids('divisions', one)).some((id) => late.endsWith(id.replaceAll('-', ''))),
      {
        description: 'the new division to be shown',
      },
    );
    expect(await audit('divisions')).toEqual({ ...before, events: before.events + 1, rows: before.rows + 1 });
  });

  it('leaves nothing behind', async () => {
    const relations = () =>
      firms.sql(`select oid::int, relname from pg_class where relpersistence <> 't' order by oid`);
    const before = await relations();
    await audit('matters');
    await waitFor(
      async () => {
        const [{ left }] = await firms.sql<{ left: number }>(
          `select (select count(*) from pg_class where relpersistence = 't' and relnamespace <> pg_my_temp_schema())
             + (select count(*) from pg_stat_activity
                where datname = current_database() and application_name like '%-session') as left`,
        );
        return Number(left) === 0;
      },
      { description: "the audit's sessions and their tables to be gone" },
    );
    expect(await relations()).toEqual(before);
  });
});
