import { Erasures } from '#event-store/erasures';
import { kindOf, toUuid } from '#kernel/ids';
import type { RequestContext } from '#platform/request-context';
import { newContentKey } from '#platform/storage/content-key';
import { createTestStore, type TestStore } from '../../../test/support/store';
import { definitions } from '../areas';
import * as client from '../clients/client.commands';
import * as division from '../divisions/division.commands';
import * as collection from '../document-collections/document-collection.commands';
import * as document from '../documents/document.commands';
import { employeeWriting } from '../employees/employee.commands';
import * as matter from '../matters/matter.commands';
import { Activity } from '../records/activity';
import * as records from '../records/records.commands';
import type { AnyWriting } from '../records/write-record';
import { supplierWriting } from '../suppliers/supplier.commands';
import { createFirm, getRecord, listRecords, project } from '../testing/firm';
import type { Do } from '../testing/work-life';
import * as workItem from '../work-items/work-item.commands';
import { AnonymiseEntity, AnonymiseEntityHandler } from './entity.anonymise';
import * as entity from './entity.commands';
import { peopleProjection } from './entity.projection';
import { entities } from './entity.queries';

describe('the erasure of a person, on a real store', () => {
  let store: TestStore;
  let context: RequestContext;
  let divisionId: string;
  const act: Do = (Command, Handler, ...args) =>
    new Handler(store.store).execute(new Command(context, ...args));
  const anonymise = (id: string) => act(AnonymiseEntity, AnonymiseEntityHandler, id);

  beforeAll(async () => {
    store = await createTestStore(definitions);
  });
  beforeEach(async () => {
    context = await createFirm(store);
    const general = { name: 'General' };
    divisionId = (await act(division.CreateDivision, division.CreateDivisionHandler, general)).record.id;
  });
  afterAll(() => store.close());

  async function person(fields: object = {}): Promise<string> {
    const body = { entityType: 'Individual' as const, lastName: 'Quillfeather', firstName: 'Zebedee' };
    return (await act(entity.CreateEntity, entity.CreateEntityHandler, { ...body, ...fields })).record.id;
  }

  async function activeClient(entityId: string): Promise<string> {
    const { id } = (await act(client.CreateClient, client.CreateClientHandler, { entityId })).record;
    await act(client.ActivateClient, client.ActivateClientHandler, id);
    return id;
  }

  const openMatter = (clientId: string) =>
    act(matter.OpenMatter, matter.OpenMatterHandler, { clientId, divisionId, title: 'Lease' });

  const keyOf = async (id: string) => {
    const { rows } = await store.writes.pool.query<{ wrapped: Buffer | null }>(
      'select wrapped from event_store.subject_keys where subject = $1',
      [toUuid(id)],
    );
    return rows[0].wrapped;
  };

  it('happens once, and only while no matter of theirs is open', async () => {
    const id = await person();
    const { record: open } = await openMatter(await activeClient(id));
    await expect(anonymise(id)).rejects.toMatchObject({ fault: 'conflict', code: 'open_matters' });
    expect(await keyOf(id)).not.toBeNull();
    await act(matter.CloseMatter, matter.CloseMatterHandler, open.id);
    const first = await anonymise(id);
    expect(first.position).toBeDefined();
    expect(await keyOf(id)).toBeNull();
    const second = await anonymise(id);
    expect([second.position, second.record.version]).toEqual([undefined, first.record.version]);
    await project(store, context, [peopleProjection]);
    const name = `Erased ${id.slice(-4)}`;
    expect(await getRecord(store, context, entities, id)).toMatchObject({
      sortName: name,
      fullName: name,
      lastName: name,
      firstName: null,
      email: null,
      anonymisedOn: first.record.data.anonymisedOn,
    });
    expect(await listRecords(store, context, entities, { keywords: 'quillfeather' })).toEqual([]);
    expect(await listRecords(store, context, entities, { keywords: name })).toMatchObject([{ id }]);
  });

  it('is possible for a deleted record too, and only at the version that If-Match names', async () => {
    const id = await person();
    await act(entity.DeleteEntity, entity.DeleteEntityHandler, id);
    context.ifMatch = ['1'];
    await expect(anonymise(id)).rejects.toMatchObject({ fault: 'precondition' });
    context.ifMatch = ['2'];
    expect((await anonymise(id)).record.data).toMatchObject({ isDeleted: true, firstName: null });
    expect(await keyOf(id)).toBeNull();
  });

  it('keeps them from becoming a client or an introducer, and their entity from being changed', async () => {
    const id = await person();
    const clientId = await activeClient(await person());
    await anonymise(id);
    const refused = { fault: 'invalid', code: 'entity_anonymised' };
    const body = { clientId, divisionId, title: 'Lease', introducerId: id };
    await expect(
      act(client.CreateClient, client.CreateClientHandler, { entityId: id }),
    ).rejects.toMatchObject(refused);
    await expect(act(matter.OpenMatter, matter.OpenMatterHandler, body)).rejects.toMatchObject(refused);
    const change = act(entity.UpdateEntity, entity.UpdateEntityHandler, id, { email: 'new@example.com' });
    await expect(change).rejects.toMatchObject({ fault: 'conflict', code: 'anonymised' });
  });

  it('deactivates the client, employee and supplier that they were, none of which can be activated again', async () => {
    const id = await person();
    const clientId = await activeClient(id);
    const { record: closed } = await openMatter(clientId);
    await act(matter.CloseMatter, matter.CloseMatterHandler, closed.id);
    const { record: eve } = await act(records.CreateRecord, records.CreateRecordHandler, employeeWriting, {
      entityId: id,
    });
    const { record: shop } = await act(records.CreateRecord, records.CreateRecordHandler, supplierWriting, {
      entityId: id,
    });
    const first = await anonymise(id);
    const again = {
      client: () => act(client.ActivateClient, client.ActivateClientHandler, clientId),
      employee: () => act(records.ActivateRecord, records.ActivateRecordHandler, employeeWriting, eve.id),
      supplier: () => act(records.ActivateRecord, records.ActivateRecordHandler, supplierWriting, shop.id),
    };
    for (const activate of Object.values(again))
      await expect(activate()).rejects.toMatchObject({ fault: 'conflict', code: 'entity_anonymised' });
    await expect(openMatter(clientId)).rejects.toMatchObject({ fault: 'invalid', code: 'client_not_active' });
    await expect(act(matter.ReopenMatter, matter.ReopenMatterHandler, closed.id)).rejects.toMatchObject({
      fault: 'conflict',
      code: 'client_not_active',
    });
    const work = {
      employeeId: eve.id,
      itemType: 0 as const,
      durationTicks: 1,
      entryDate: '2025-06-12T10:00:00.000Z',
      rate: { Amount: 1, Currency: 'GBP' },
    };
    await expect(act(workItem.RecordWorkItem, workItem.RecordWorkItemHandler, work)).rejects.toMatchObject({
      fault: 'invalid',
      code: 'employee_not_active',
    });
    expect((await anonymise(id)).position).toBeUndefined();
    expect(first.record.version).toBe(2);
  });

  it('keeps documents from being filed under them, also in a collection that they have', async () => {
    const collect = (subjectId: string) =>
      act(collection.CreateDocumentCollection, collection.CreateDocumentCollectionHandler, {
        name: 'Letters',
        subjectId,
      });
    const keep = (documentCollectionId: string) => {
      const content = { key: newContentKey(new Date()), size: 1, sha256: '0'.repeat(64) };
      const body = { fileName: 'Letter.txt', documentCollectionId };
      return act(document.CreateDocument, document.CreateDocumentHandler, body, content);
    };
    const [id, other] = [await person(), await person()];
    const theirs = (await collect(id)).record.id;
    const letter = (await keep((await collect(other)).record.id)).record.id;
    await anonymise(id);
    const move = () =>
      act(records.UpdateRecord, records.UpdateRecordHandler, document.documentWriting, letter, {
        documentCollectionId: theirs,
      });
    for (const file of [() => collect(id), () => keep(theirs), move])
      await expect(file()).rejects.toMatchObject({ fault: 'invalid', code: 'entity_anonymised' });
  });

  it('frees their external reference for another record', async () => {
    const id = await person({ externalReference: 'ada@example.com' });
    await expect(person({ externalReference: 'ada@example.com' })).rejects.toMatchObject({
      fault: 'conflict',
    });
    await anonymise(id);
    const other = await person({ externalReference: 'ada@example.com' });
    await project(store, context, [peopleProjection]);
    expect(await getRecord(store, context, entities, id)).toMatchObject({ externalReference: null });
    expect(await getRecord(store, context, entities, other)).toMatchObject({
      externalReference: 'ada@example.com',
    });
  });

  it('is refused when a matter opens at the same moment, or the matter is refused', async () => {
    for (let round = 0; round < 12; round++) {
      const id = await person();
      const clientId = await activeClient(id);
      const [opened, erased] = await Promise.allSettled([openMatter(clientId), anonymise(id)]);
      if (erased.status === 'rejected') expect(erased.reason.code).toBe('open_matters');
      else expect(opened).toMatchObject({ status: 'rejected', reason: { code: 'client_not_active' } });
    }
  });

  it.each([1, 2])('is refused when a matter of theirs is opened just before its step %d', async (step) => {
    const id = await person();
    const load = store.loader.load.bind(store.loader);
    const append = store.appender.append.bind(store.appender);
    let steps = 0;
    const meanwhile = async () => {
      if (++steps === step) await openMatter(await activeClient(id));
    };
    jest.spyOn(store.loader, 'load').mockImplementation((...asks) => meanwhile().then(() => load(...asks)));
    jest.spyOn(store.appender, 'append').mockImplementation((job) => meanwhile().then(() => append(job)));
    const erasing = anonymise(id).finally(() => jest.restoreAllMocks());
    await expect(erasing).rejects.toMatchObject({ code: 'open_matters' });
  });

  it.each([
    ['employee', employeeWriting],
    ['supplier', supplierWriting],
  ])('deactivates the %s that they become just before it is recorded', async (kind, writing) => {
    const id = await person();
    const become = () =>
      act(records.CreateRecord, records.CreateRecordHandler, writing as AnyWriting, { entityId: id });
    const append = store.appender.append.bind(store.appender);
    jest.spyOn(store.appender, 'append').mockImplementationOnce((job) => become().then(() => append(job)));
    const { records: written } = await anonymise(id).finally(() => jest.restoreAllMocks());
    expect(written).toMatchObject([{ id }, { data: { entityId: id, state: Activity.Inactive } }]);
    expect(kindOf(written[1].id)).toBe(kind);
  });

  it('is found through an index, without reading all events', async () => {
    const asked = jest.spyOn(store.writes.pool, 'query');
    const erasures = new Erasures(store.writes, store.codec);
    await erasures.recorded();
    await erasures.repeat();
    const statements = asked.mock.calls
      .map(([text]) => text as unknown)
      .filter((text) => typeof text === 'string' && text.includes('EntityAnonymised'));
    asked.mockRestore();
    expect(statements).toHaveLength(2);
    const client = await store.writes.pool.connect();
    try {
      await client.query('begin; set local enable_seqscan = off');
      for (const statement of statements) {
        const { rows } = await client.query(`explain ${statement}`);
        expect(JSON.stringify(rows)).toContain('events_erasures');
      }
      await client.query('rollback');
    } finally {
      client.release();
    }
  });
});
