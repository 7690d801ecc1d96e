import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadOrCreateSecretsKey, loadSecretsKey } from './secrets-key-file';

describe('the key file', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'secrets-key-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('is made once, readable by its owner only, and found again', async () => {
    const dataDir = join(folder, 'new');
    expect(await loadSecretsKey(dataDir)).toBeUndefined();
    const key = await loadOrCreateSecretsKey(dataDir);
    expect(Buffer.from(key, 'base64')).toHaveLength(32);
    expect(await loadOrCreateSecretsKey(dataDir)).toBe(key);
    expect(await loadSecretsKey(dataDir)).toBe(key);
    expect((await stat(join(dataDir, 'secrets.key'))).mode & 0o777).toBe(0o600);
  });

  it('is the same for all processes that start at once', async () => {
    const keys = await Promise.all(Array.from({ length: 10 }, () => loadOrCreateSecretsKey(folder)));
    expect(new Set(keys).size).toBe(1);
    expect(await readdir(folder)).toEqual(['secrets.key']);
  });

  it('is refused when it contains no key', async () => {
    await writeFile(join(folder, 'secrets.key'), 'nonsense');
    await expect(loadSecretsKey(folder)).rejects.toThrow(/32 bytes in base64/);
  });
});
