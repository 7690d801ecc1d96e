import { chmodSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeDataDir } from './remove-data-dir.cjs';

/** A new DATA_DIR. `remove` also stops an embedded database that still runs in it. */
export function createDataDir(): { path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), 'practice-data-'));
  chmodSync(path, 0o755); // when root starts it, the database runs as another user
  return { path, remove: () => removeDataDir(path) };
}
