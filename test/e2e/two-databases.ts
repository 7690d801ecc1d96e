import { randomBytes } from 'node:crypto';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { dumpDatabase, restoreDatabase } from '../support/dump';
import { Office } from './office';
import { remainsInTables } from './remains';

/** A store and its read models, each in its own database. */
export class TwoDatabases {
  private constructor(
    readonly write: TestDatabase,
    readonly read: TestDatabase,
  ) {}

  static async create(): Promise<TwoDatabases> {
    return new TwoDatabases(await createTestDatabase(), await createTestDatabase());
  }

  /** An office on these databases. All of a test run have the same SECRETS_KEY. */
  office(env: Record<string, string> = {}): Promise<Office> {
    const { write, read } = this;
    return Office.create({ DATABASE_URL: write.url, READ_DATABASE_URL: read.url, SECRETS_KEY, ...env });
  }

  /** Dumps of both databases as SQL, the store's first. */
  async dump(): Promise<[string, string]> {
    return [await dumpDatabase(this.write.url), await dumpDatabase(this.read.url)];
  }

  /** Replaces the contents of both databases by dumps. */
  async restore(dumps: [string, string]): Promise<void> {
    for (const [index, { url }] of [this.write, this.read].entries()) {
      await restoreDatabase(url, dumps[index]);
    }
  }

  /** Where words remain in the tables of both databases. */
  async remains(words: readonly string[]): Promise<string[]> {
    const { write, read } = this;
    return [...(await remainsInTables(write.url, words)), ...(await remainsInTables(read.url, words))];
  }

  async drop(): Promise<void> {
    await Promise.all([this.write.drop(), this.read.drop()]);
  }
}

const SECRETS_KEY = randomBytes(32).toString('base64');
