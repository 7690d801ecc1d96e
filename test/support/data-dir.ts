import { chmodSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeDataDir } from './remove-data-dir.cjs';

/** A fresh DATA_DIR; remove() also takes away an embedded database that still runs on it. */
export function createDataDir(): { path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), 'practice-data-'));
  chmodSync(path, 0o755); // started by root, the database's own user must enter it
  return { path, remove: () => removeDataDir(path) };
}
