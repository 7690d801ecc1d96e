import { randomBytes } from 'node:crypto';
import { link, mkdir, open, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ConfigError } from './config';

const fileOf = (dataDir: string) => join(dataDir, 'secrets.key');

/**
 * The development SECRETS_KEY kept in the data folder: 32 bytes in base64.
 * @returns undefined when the folder has none
 * @throws ConfigError when the file holds something else
 */
export async function loadSecretsKey(dataDir: string): Promise<string | undefined> {
  const file = fileOf(dataDir);
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw new ConfigError([`${file} cannot be read (${error.code})`]);
  });
  if (text !== undefined && !/^[A-Za-z0-9+/]{43}=$/.test(text.trim()))
    throw new ConfigError([`${file} must hold 32 bytes in base64`]);
  return text?.trim();
}

/**
 * The key of the data folder, which is made (mode 600) when there is none. Processes that start at once agree on one
 * key.
 */
export async function loadOrCreateSecretsKey(dataDir: string): Promise<string> {
  const existing = await loadSecretsKey(dataDir);
  if (existing) return existing;
  await mkdir(dataDir, { recursive: true });
  const draft = `${fileOf(dataDir)}.${process.pid}.${randomBytes(4).toString('hex')}`;
  const handle = await open(draft, 'wx', 0o600);
  try {
    await handle.writeFile(`${randomBytes(32).toString('base64')}\n`);
    await handle.sync();
    // link() fails when the name is taken: the first key wins and no reader sees half a file.
    await link(draft, fileOf(dataDir)).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
  } finally {
    await handle.close();
    await rm(draft);
  }
  return (await loadSecretsKey(dataDir))!;
}
