import { type FileHandle, mkdir, open, opendir, rename, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { Clock } from '#kernel/clock';
import { ConfigError } from '../config';
import { begunAt, isContentKey, newContentKey } from './content-key';
import { ContentStorage, type KeptContent, type OpenContent } from './content-storage';
import { whyNotWritable } from './writable-folder';

/** Suffix of a file that is still being written. */
const UNFINISHED = '.part';
const KEYS_AT_ONCE = 500;

interface Found {
  tenantId: number;
  key: string;
  path: string;
  unfinished: boolean;
}

/**
 * Stores bytes in a folder: `<folder>/<tenant>/<last two digits of the key>/<key>`. Paths consist only of numbers and
 * keys that this service makes. The last digits are random: a folder holds a 256th of a tenant's files.
 */
export class FolderStorage extends ContentStorage {
  private readonly folder: string;

  /** @param folder shared by all processes; created if it does not exist */
  constructor(
    folder: string,
    private readonly clock: Clock,
  ) {
    super();
    this.folder = resolve(folder);
  }

  async requireWritable(): Promise<void> {
    const reason = await whyNotWritable(this.folder);
    if (reason) throw new ConfigError([`DOCUMENTS_DIR: ${this.folder} cannot be written: ${reason}`]);
  }

  async keep(tenantId: number, bytes: AsyncIterable<Uint8Array>): Promise<string> {
    const key = newContentKey(this.clock.now());
    const path = this.path(tenantId, key);
    const unfinished = path + UNFINISHED;
    await makeFolder(dirname(path));
    const file = await open(unfinished, 'wx', 0o640);
    try {
      await write(file, bytes);
      await rename(unfinished, path);
      await syncFolder(dirname(path));
    } catch (error) {
      await Promise.all([rm(unfinished, { force: true }), rm(path, { force: true })]);
      throw error;
    }
    return key;
  }

  async open(tenantId: number, key: string): Promise<OpenContent | undefined> {
    const file = await open(this.path(tenantId, key), 'r').catch(nothingThere);
    if (!file) return undefined;
    try {
      const { size } = await file.stat();
      const read: OpenContent['read'] = (range) =>
        file.createReadStream({ start: range?.first, end: range?.last, autoClose: false });
      return { size, read, close: () => file.close() };
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  async remove(tenantId: number, key: string): Promise<void> {
    await rm(this.path(tenantId, key), { force: true });
  }

  async *keptBefore(instant: Date): AsyncGenerator<KeptContent> {
    let next: KeptContent | undefined;
    for await (const { tenantId, key, unfinished } of this.found()) {
      if (unfinished || begunAt(key) >= instant) continue;
      if (next && (next.tenantId !== tenantId || next.keys.length === KEYS_AT_ONCE)) {
        yield next;
        next = undefined;
      }
      next ??= { tenantId, keys: [] };
      next.keys.push(key);
    }
    if (next) yield next;
  }

  async removeUnfinished(instant: Date): Promise<number> {
    let removed = 0;
    for await (const { key, path, unfinished } of this.found()) {
      if (!unfinished || begunAt(key) >= instant) continue;
      await rm(path, { force: true });
      removed++;
    }
    return removed;
  }

  /** All files, one tenant after another. A file with another form of name is not the storage's. */
  private async *found(): AsyncGenerator<Found> {
    for await (const tenant of names(this.folder, /^\d+$/)) {
      for await (const part of names(join(this.folder, tenant), /^[0-9a-f]{2}$/)) {
        const folder = join(this.folder, tenant, part);
        for await (const name of names(folder, /^[0-9a-f-]{36}(\.part)?$/)) {
          const unfinished = name.endsWith(UNFINISHED);
          const key = unfinished ? name.slice(0, -UNFINISHED.length) : name;
          if (isContentKey(key))
            yield { tenantId: Number(tenant), key, path: join(folder, name), unfinished };
        }
      }
    }
  }

  private path(tenantId: number, key: string): string {
    if (!isContentKey(key)) throw new Error('Not a key of the storage');
    return join(this.folder, String(tenantId), key.slice(-2), key);
  }
}

async function write(file: FileHandle, bytes: AsyncIterable<Uint8Array>): Promise<void> {
  try {
    for await (const chunk of bytes) await file.writeFile(chunk);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Makes a folder that survives a crash: a new folder is durable once its parent is synced. */
async function makeFolder(path: string): Promise<void> {
  const first = await mkdir(path, { recursive: true, mode: 0o750 });
  if (first === undefined) return;
  for (let made = path; made.length >= first.length; made = dirname(made)) await syncFolder(dirname(made));
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

async function* names(folder: string, pattern: RegExp): AsyncGenerator<string> {
  const entries = await opendir(folder).catch(nothingThere);
  if (!entries) return;
  for await (const { name } of entries) if (pattern.test(name)) yield name;
}

function nothingThere(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}
