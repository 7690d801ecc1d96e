import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTestDatabase } from './database';

/** Everything that processes need before they start, for them alone. */
export interface Installation {
  databaseUrl: string;
  /** The folder of documents. */
  documents: string;
  /** The environment of the processes. */
  env: Record<string, string>;
}

/** @param env added to the environment that every installation has */
export async function createInstallation(
  env: Record<string, string> = {},
): Promise<Installation & { remove(): Promise<void> }> {
  const database = await createTestDatabase();
  const secretsKey = randomBytes(32).toString('base64');
  const documents = await mkdtemp(join(tmpdir(), 'practice-documents-'));
  const own = { DATABASE_URL: database.url, SECRETS_KEY: secretsKey, DOCUMENTS_DIR: documents };
  return {
    databaseUrl: database.url,
    documents,
    env: { ...own, ...env },
    /** @throws after everything was removed, when a process has left a connection open */
    async remove() {
      await rm(documents, { recursive: true });
      await database.drop();
    },
  };
}
