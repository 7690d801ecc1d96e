import type { Readable } from 'node:stream';
import { Logger } from '@nestjs/common';
import { newId, toUuid } from '#kernel/ids';
import type { RequestContext } from '#platform/request-context';
import { Projections } from '#projections/projections';
import { ReachedPositions } from '#projections/reached-positions';
import { createTestStore, type TestStore } from '../../../test/support/store';
import { definitions, projections } from '../areas';
import { createFirm, project } from '../testing/firm';
import { liveFirm } from '../testing/firm-life';
import { ExportEntity, ExportEntityHandler, recordExport } from './entity.export';
import { held } from './entity.held';

describe('an export of all that is held on a person', () => {
  let store: TestStore;
  let context: RequestContext;
  /** An entity that is a client, an employee, a supplier, a contact and an introducer. */
  let subject: ExportEntity['id'];

  beforeAll(async () => {
    store = await createTestStore(definitions);
    // Another firm with the same records.
    const other = await createFirm(store);
    await liveFirm(store.store, other);
    await project(store, other, projections);
    context = await createFirm(store);
    await liveFirm(store.store, context);
    await project(store, context, projections);
    const { rows } = await store.reads.pool.query<{ id: string }>(
      `select e.entity_id as id from read_model.clients c join read_model.employees e using (tenant_id, entity_id)
       where c.tenant_id = $1 order by c.created_on limit 1`,
      [context.tenant.id],
    );
    subject = `entity_${rows[0].id.replaceAll('-', '')}`;
  });
  afterAll(() => store.close());

  async function stream(id = subject): Promise<Readable> {
    const reached = new ReachedPositions(store.reads, new Projections([]));
    const handler = new ExportEntityHandler(store.store, store.loader, store.reads, reached);
    return (await handler.execute(new ExportEntity(context, id))).body as Readable;
  }

  async function exported(id = subject) {
    let text = '';
    for await (const chunk of await stream(id)) text += chunk;
    return JSON.parse(text).data;
  }

  it('holds the entity, its history, and a list for every kind of record that can refer to it', async () => {
    const data = await exported();
    expect(Object.keys(data)).toEqual([
      'exportedOn',
      'exportedBy',
      'entity',
      ...held.map(({ name }) => name),
      'history',
    ]);
    for (const { name, kind } of held) {
      if (['suppliers', 'disbursementCodes', 'costRecoveries'].includes(name)) continue;
      expect([name, data[name].length]).not.toEqual([name, 0]);
      for (const { id } of data[name]) expect(id).toMatch(new RegExp(`^${kind}_`));
    }
    expect(data.entity).toMatchObject({ id: subject, lastName: 'Obi', email: 'ada@example.com' });
    expect(data.history.at(-1)).toMatchObject({ type: 'EntityExported', by: 'integration:test' });
    expect(data.exportedOn).toBe(data.history.at(-1).on);
  });

  it('of a supplier holds the costs that it sold and the disbursement codes that name it', async () => {
    const { rows } = await store.reads.pool.query<{ id: string }>(
      `select s.entity_id as id from read_model.suppliers s join read_model.cost_recoveries c on c.supplier_id = s.id
       where s.tenant_id = $1 limit 1`,
      [context.tenant.id],
    );
    const data = await exported(`entity_${rows[0].id.replaceAll('-', '')}`);
    expect([data.suppliers.length, data.costRecoveries.length > 0]).toEqual([1, true]);
    expect(data.disbursementCodes).toContainEqual(
      expect.objectContaining({ supplierId: data.suppliers[0].id }),
    );
  });

  it('holds nothing of another firm', async () => {
    const { rows } = await store.reads.pool.query<{ id: string }>(
      `select id from read_model.record where tenant_id <> $1
       union all select id from read_model.matters where tenant_id <> $1
       union all select id from read_model.work_items where tenant_id <> $1
       union all select id from read_model.invoices where tenant_id <> $1
       union all select id from read_model.people where tenant_id <> $1`,
      [context.tenant.id],
    );
    expect(rows.length).toBeGreaterThan(15);
    const text = JSON.stringify(await exported());
    expect(rows.filter(({ id }) => text.includes(id.replaceAll('-', '')))).toEqual([]);
  });

  it('is recorded as an event each time, and refused for an unknown entity', async () => {
    const before = await store.loader.versionOf(context.tenant.id, subject);
    const data = await exported();
    expect(data.entity.version).toBe(before + 1);
    expect(data.history).toHaveLength(before + 1);
    await expect(exported(newId('entity'))).rejects.toMatchObject({ code: 'not_found' });
  });

  it('of very long records reads fewer of them at once', async () => {
    await store.reads.pool.query(
      `update read_model.work_items set state = jsonb_set(state::jsonb, '{title}', to_jsonb(repeat('x', 12000000)))::json
       where tenant_id = $1`,
      [context.tenant.id],
    );
    let [length, longest] = [0, 0];
    for await (const chunk of await stream()) {
      length += chunk.length;
      longest = Math.max(longest, chunk.length);
    }
    await store.reads.pool.query(
      `update read_model.work_items set state = jsonb_set(state::jsonb, '{title}', '"short"')::json where tenant_id = $1`,
      [context.tenant.id],
    );
    expect(length).toBeGreaterThan(36_000_000);
    expect(longest).toBeLessThan(32_000_000);
  });

  it('of tens of thousands of records is sent in small pieces', async () => {
    await store.reads.pool.query(
      `insert into read_model.work_items
       select generation, tenant_id, gen_random_uuid(), version, is_deleted, created_on, created_by, updated_on, updated_by,
         external_reference, changed_epoch, changed_transaction_id, changed_position, state, search, entry_date, entry_day,
         matter_id, (select id from read_model.employees where tenant_id = $1 and entity_id = $2), task_type_id, invoice_id,
         item_type, item_state, is_billable, title, currency, rate, units, unit_minutes, duration_ticks, total, total_base,
         remaining
       from (select * from read_model.work_items where tenant_id = $1 limit 1) w, generate_series(1, 20000)`,
      [context.tenant.id, toUuid(subject)],
    );
    let [length, longest, chunks] = [0, 0, 0];
    for await (const chunk of await stream()) {
      chunks++;
      length += chunk.length;
      longest = Math.max(longest, chunk.length);
    }
    expect(length).toBeGreaterThan(20_000 * 500);
    expect(longest).toBeLessThan(length / 100);
    expect(chunks).toBeGreaterThan(200);
  });

  it('that fails midway is broken off, so that what was sent is no valid JSON', async () => {
    const reading = await stream();
    const fault = jest.spyOn(store.loader, 'page').mockRejectedValue(new Error('gone'));
    const told = jest.spyOn(Logger.prototype, 'error').mockReturnValue(undefined);
    let text = '';
    const whole = (async () => {
      for await (const chunk of reading) text += chunk;
    })();
    await expect(whole).rejects.toThrow('gone');
    expect(text).toContain('"history":[');
    expect(() => JSON.parse(text)).toThrow();
    expect(told.mock.calls).toEqual([['An export was broken off: gone']]);
    fault.mockRestore();
    told.mockRestore();
  });

  it('can be recorded for a deleted person', async () => {
    const { rows } = await store.reads.pool.query<{ id: string }>(
      'select id from read_model.people where tenant_id = $1 and is_deleted limit 1',
      [context.tenant.id],
    );
    const id = `entity_${rows[0].id.replaceAll('-', '')}`;
    const written = await store.store.execute(context, (work) => recordExport(work, id));
    expect(written.record.data.isDeleted).toBe(true);
  });
});
