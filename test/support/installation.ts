import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTestDatabase } from './database';

/** What processes need before they start, all of it their own. */
export interface Installation {
  databaseUrl: string;
  /** Where they keep the bytes of documents. */
  documents: string;
  /** Their environment. */
  env: Record<string, string>;
}

/** @param env over what every installation has */
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
    /** @throws when a process has left a connection open, after all is gone */
    async remove() {
      await rm(documents, { recursive: true });
      await database.drop();
    },
  };
}
