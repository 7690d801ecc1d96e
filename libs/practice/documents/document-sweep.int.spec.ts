import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RequestContext } from '#platform/request-context';
import { FolderStorage } from '#platform/storage/folder-storage';
import { SetClock } from '../../../test/support/set-clock';
import { createTestStore, type TestStore } from '../../../test/support/store';
import { definitions } from '../areas';
import { CreateEntity, CreateEntityHandler } from '../entities/entity.commands';
import { DeleteRecord, DeleteRecordHandler } from '../records/records.commands';
import { createFirm } from '../testing/firm';
import {
  AddDocumentVersion,
  AddDocumentVersionHandler,
  CreateDocument,
  CreateDocumentHandler,
  documentWriting,
} from './document.commands';
import { DocumentSweep } from './document.sweep';

const MINUTE = 60;
const clock = new SetClock(new Date('2026-01-01T12:00:00Z'));
let folder: string;
let store: TestStore;
let storage: FolderStorage;
let sweep: DocumentSweep;
let firms: RequestContext[];
const subjects = new Map<RequestContext, string>();

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'practice-sweep-'));
  store = await createTestStore(definitions, clock);
  storage = new FolderStorage(folder, clock);
  sweep = new DocumentSweep(storage, store.loader, clock, store.config);
  firms = [await createFirm(store), await createFirm(store)];
  for (const firm of firms) {
    const command = new CreateEntity(firm, { entityType: 'Organisation', name: 'Acme' });
    subjects.set(firm, (await new CreateEntityHandler(store.store).execute(command)).record.id);
  }
});
afterAll(async () => {
  await store.close();
  rmSync(folder, { recursive: true });
});

async function* bytes() {
  yield Buffer.from('x');
}
const keep = async ({ tenant }: RequestContext) => ({
  key: await storage.keep(tenant.id, bytes()),
  size: 1,
  sha256: 'x',
});
async function create(firm: RequestContext) {
  const content = await keep(firm);
  const body = { fileName: 'a', subjectId: subjects.get(firm)! };
  const { record } = await new CreateDocumentHandler(store.store).execute(
    new CreateDocument(firm, body, content),
  );
  return { id: record.id, key: content.key };
}
const isThere = async ({ tenant }: RequestContext, key: string) => {
  const content = await storage.open(tenant.id, key);
  await content?.close();
  return content !== undefined;
};

it('a sweep removes bytes that belong to no document once they are an hour old, and no others', async () => {
  const [one, other] = firms;
  const live = await create(one);
  const second = await keep(one);
  const add = new AddDocumentVersion(one, live.id, { fileName: 'b' }, second);
  await new AddDocumentVersionHandler(store.store).execute(add);
  const deleted = await create(other);
  await new DeleteRecordHandler(store.store).execute(new DeleteRecord(other, documentWriting, deleted.id));
  // Bytes of no document. A document holds only keys of its own tenant.
  const orphans = [await keep(one), await keep(other)];

  clock.advance(59 * MINUTE);
  const young = await keep(one);
  expect(await sweep.sweep()).toEqual({ orphans: 0, unfinished: 0 });
  clock.advance(2 * MINUTE);
  expect(await sweep.sweep()).toEqual({ orphans: 2, unfinished: 0 });
  for (const [firm, key] of [
    [one, live.key],
    [one, second.key],
    [other, deleted.key],
    [one, young.key],
  ] as const)
    expect(await isThere(firm, key)).toBe(true);
  for (const [index, { key }] of orphans.entries()) expect(await isThere(firms[index], key)).toBe(false);
});

it('a document cannot be created with bytes that are so old that a sweep may soon remove them', async () => {
  const [firm] = firms;
  const content = await keep(firm);
  clock.advance(21 * MINUTE);
  const body = { fileName: 'a', subjectId: subjects.get(firm)! };
  const late = new CreateDocumentHandler(store.store).execute(new CreateDocument(firm, body, content));
  await expect(late).rejects.toMatchObject({ code: 'upload_expired' });
});
