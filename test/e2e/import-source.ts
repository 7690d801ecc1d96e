import { Client } from 'pg';
import { createTestDatabase, type TestDatabase } from '../support/database';
import type { Firm } from '../support/firms/firm';
import { writeFirm } from '../support/firms/write-firm';
import type { ServerCertificate } from '../support/tds/certificate';
import { TdsServer } from '../support/tds/tds-server';

/**
 * The password of the login at a source, which must not occur in anything written or answered. Encrypted values are
 * base64, which has no “!”.
 */
export const PASSWORD = 'Zq7!x;Secret=1';

/** A firm in a SQL Server. */
export class ImportSource {
  private constructor(
    readonly server: TdsServer,
    readonly firm: Firm,
    /** A connection to the database behind the server. */
    readonly client: Client,
    private readonly database: TestDatabase,
  ) {}

  /** @param items the number of the firm's work items */
  static async open(items: number, certificate: ServerCertificate): Promise<ImportSource> {
    const database = await createTestDatabase();
    const client = new Client(database.url);
    await client.connect();
    const firm = await writeFirm(client, { items });
    const server = await TdsServer.start({ database: database.url, password: PASSWORD, certificate });
    return new ImportSource(server, firm, client, database);
  }

  async close(): Promise<void> {
    await this.server.close();
    await this.client.end();
    await this.database.drop();
  }
}
