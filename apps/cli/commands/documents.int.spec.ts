import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Config } from '#platform/config';
import type { RequestContext } from '#platform/request-context';
import { FolderStorage } from '#platform/storage/folder-storage';
import { definitions } from '#practice/areas';
import {
  AddDocumentVersion,
  AddDocumentVersionHandler,
  CreateDocument,
  CreateDocumentHandler,
  documentWriting,
} from '#practice/documents/document.commands';
import { CreateEntity, CreateEntityHandler } from '#practice/entities/entity.commands';
import { DeleteRecord, DeleteRecordHandler } from '#practice/records/records.commands';
import { createFirm } from '#practice/testing/firm';
import { SetClock } from '../../../test/support/set-clock';
import { createTestStore, type TestStore } from '../../../test/support/store';
import { run } from '../cli';

describe('cli documents verify', () => {
  const clock = new SetClock(new Date());
  let folder: string;
  let store: TestStore;
  let storage: FolderStorage;
  let firm: RequestContext;
  let subjectId: string;

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'practice-documents-'));
    store = await createTestStore(definitions);
    storage = new FolderStorage(join(folder, store.installation.id), clock);
    firm = await createFirm(store);
    const person = new CreateEntity(firm, { entityType: 'Organisation', name: 'Acme' });
    subjectId = (await new CreateEntityHandler(store.store).execute(person)).record.id;
  });
  afterEach(async () => {
    await store.close();
    rmSync(folder, { recursive: true });
  });

  async function cli(line: string) {
    const [out, err]: string[][] = [[], []];
    const code = await run(`documents verify ${line}`.trim().split(' '), {
      config: () => Object.assign(new Config(), store.config, { DOCUMENTS_DIR: folder }),
      out: (text) => out.push(text),
      err: (text) => err.push(text),
    });
    return { code, out, err };
  }

  async function keep(text: string) {
    const bytes = async function* () {
      yield Buffer.from(text);
    };
    clock.advance(1); // the order of keys is that of their times
    const key = await storage.keep(firm.tenant.id, bytes());
    return { key, size: text.length, sha256: createHash('sha256').update(text).digest('hex') };
  }

  /** A document with two versions, and the keys of these. */
  async function document(first: string, second: string) {
    const contents = [await keep(first), await keep(second)];
    const create = new CreateDocument(firm, { fileName: 'a', subjectId }, contents[0]);
    const { id } = (await new CreateDocumentHandler(store.store).execute(create)).record;
    const add = new AddDocumentVersion(firm, id, { fileName: 'b' }, contents[1]);
    await new AddDocumentVersionHandler(store.store).execute(add);
    return { id, keys: contents.map(({ key }) => key) };
  }

  function write(key: string, text: string) {
    const all = readdirSync(folder, { recursive: true, withFileTypes: true });
    const { parentPath } = all.find(({ name }) => name === key)!;
    writeFileSync(join(parentPath, key), text);
  }

  it('passes over what is whole, the bytes of deleted documents included', async () => {
    const { id } = await document('one', 'other');
    await new DeleteRecordHandler(store.store).execute(new DeleteRecord(firm, documentWriting, id));
    const lines = 'versions     2\nbytes        8\ndifferences  0';
    expect(await cli('--digests')).toEqual({ code: 0, out: [lines], err: [] });
    rmSync(join(folder, store.installation.id), { recursive: true });
    expect(await cli('')).toMatchObject({ code: 1, out: { length: 3 } });
  });

  it('names each version whose bytes are missing or others', async () => {
    const [gone, odd] = [await document('one', 'other'), await document('two', 'three')];
    await storage.remove(firm.tenant.id, gone.keys[1]);
    write(odd.keys[0], 'tw');
    write(odd.keys[1], 'THREE');
    const of = (document: { id: string; keys: string[] }, version: number, what: string) => ({
      tenant: firm.tenant.alias,
      document: document.id,
      version,
      key: document.keys[version - 1],
      what,
    });
    const found = [
      of(gone, 2, 'its bytes are missing'),
      of(odd, 1, '2 of its 3 bytes are there'),
      of(odd, 2, 'its bytes are not those that were stored'),
    ];
    const figures = { versions: 4, bytes: 16 };
    const quick = await cli(`--tenant ${firm.tenant.alias} --json`);
    expect(quick.code).toBe(1);
    expect(quick.out.map((line) => JSON.parse(line))).toEqual([
      ...found.slice(0, 2),
      { ...figures, differences: 2 },
    ]);
    const thorough = await cli('--digests --json');
    expect(thorough.out.map((line) => JSON.parse(line))).toEqual([...found, { ...figures, differences: 3 }]);
    const [{ tenant, document: id, version, key, what }] = found;
    expect((await cli('')).out[0]).toBe(`${tenant}  ${id}  version ${version}  ${key}  ${what}`);
  });

  it('refuses an unknown tenant', async () => {
    const { code, err } = await cli('--tenant nobody --json');
    expect([code, JSON.parse(err[0]).error.code]).toEqual([1, 'tenant_not_found']);
  });
});
