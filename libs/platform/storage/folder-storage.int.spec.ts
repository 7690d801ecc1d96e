import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SetClock } from '../../../test/support/set-clock';
import { begunAt, isContentKey, newContentKey } from './content-key';
import type { KeptContent } from './content-storage';
import { FolderStorage } from './folder-storage';

let folder: string;
let clock: SetClock;
let storage: FolderStorage;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'practice-storage-'));
  clock = new SetClock(new Date('2026-01-01T12:00:00Z'));
  storage = new FolderStorage(join(folder, 'made', 'when needed'), clock);
});
afterEach(() => rmSync(folder, { recursive: true }));

async function* bytes(...chunks: string[]) {
  for (const chunk of chunks) yield Buffer.from(chunk);
}
async function* failing() {
  yield Buffer.from('some');
  throw new Error('no more');
}
const files = () =>
  readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
async function read(tenant: number, key: string, range?: { first: number; last: number }) {
  const content = await storage.open(tenant, key);
  if (!content) return undefined;
  let text = '';
  for await (const chunk of content.read(range)) text += chunk;
  await content.close();
  return [content.size, text];
}
async function kept(before: Date): Promise<KeptContent[]> {
  const found = [];
  for await (const one of storage.keptBefore(before)) found.push(one);
  return found;
}

it('keeps bytes under a key that tells when they arrived, and shows them to their tenant only', async () => {
  const key = await storage.keep(7, bytes('by', 'tes'));
  expect([isContentKey(key), begunAt(key)]).toEqual([true, clock.at]);
  expect(await read(7, key)).toEqual([5, 'bytes']);
  expect(await read(7, key, { first: 1, last: 3 })).toEqual([5, 'yte']);
  expect(await read(8, key)).toBeUndefined();
  const empty = await storage.keep(7, bytes());
  expect(await read(7, empty)).toEqual([0, '']);
});

it('leaves no file when the bytes fail to arrive', async () => {
  await expect(storage.keep(7, failing())).rejects.toThrow('no more');
  expect(files()).toEqual([]);
});

it('removes a file, and accepts that it has already gone', async () => {
  const key = await storage.keep(7, bytes('x'));
  await storage.remove(7, key);
  await storage.remove(7, key);
  expect(await read(7, key)).toBeUndefined();
});

it.each(['../../etc/passwd', '', 'x', '01900000-0000-4000-8000-000000000000'])(
  'refuses %j as a key',
  async (key) => {
    await expect(storage.open(7, key)).rejects.toThrow('Not a key');
    await expect(storage.remove(7, key)).rejects.toThrow('Not a key');
  },
);

it('lists the files older than an instant, one tenant and at most 500 files at a time', async () => {
  expect(await kept(clock.now())).toEqual([]);
  const mine = await Promise.all(Array.from({ length: 501 }, () => storage.keep(7, bytes('x'))));
  const other = await storage.keep(8, bytes('x'));
  clock.advance(60);
  const younger = await storage.keep(7, bytes('x'));
  const found = await kept(clock.now());
  expect(found.map(({ keys }) => keys.length).sort()).toEqual([1, 1, 500]);
  const of = (tenant: number) => found.flatMap(({ tenantId, keys }) => (tenantId === tenant ? keys : []));
  expect([of(7).sort(), of(8)]).toEqual([mine.sort(), [other]]);
  clock.advance(1);
  expect((await kept(clock.now())).flatMap(({ keys }) => keys)).toContain(younger);
});

it('removes files that were begun and never finished, and touches no others', async () => {
  const key = await storage.keep(7, bytes('x'));
  const parent = files()[0].parentPath;
  const leftover = (at: Date) => writeFileSync(join(parent, `${newContentKey(at)}.part`), 'x');
  leftover(new Date(clock.at.getTime() - 1000));
  leftover(clock.at);
  writeFileSync(join(parent, 'README'), 'ours');
  expect(await storage.removeUnfinished(clock.now())).toBe(1);
  expect(files()).toHaveLength(3);
  expect(await read(7, key)).toEqual([1, 'x']);
});
