import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import type { ApiClient, Credentials, Json } from '../support/client';
import { createTestDatabase, type TestDatabase } from '../support/database';
import type { Firm } from '../support/firms/firm';
import { writeFirm } from '../support/firms/write-firm';
import type { RunningApp } from '../support/process';
import { TdsServer } from '../support/tds/tds-server';
import { waitFor } from '../support/wait-for';
import { Office } from './office';

/** Of the login at the source; it is in nothing that is written or answered. */
export const PASSWORD = 'Zq7x;Secret=1';
/** A 15-second lease has to end before another worker goes on. */
const LONG = 180_000;

/** A deployment in processes of its own, and a firm's SQL Server that it imports from. */
export class ImportOffice {
  private worker!: RunningApp;
  private query!: RunningApp;
  /** Every answer about imports. */
  readonly answers: string[] = [];
  private constructor(
    readonly office: Office,
    readonly source: TdsServer,
    readonly firm: Firm,
    /** That of the source. */
    readonly sourceClient: Client,
    private readonly sourceDatabase: TestDatabase,
    private readonly folder: string,
  ) {}

  static async open(items: number, env: Record<string, string> = {}): Promise<ImportOffice> {
    const folder = await mkdtemp(join(tmpdir(), 'practice-import-'));
    const sourceDatabase = await createTestDatabase();
    const client = new Client(sourceDatabase.url);
    await client.connect();
    const firm = await writeFirm(client, { items });
    const source = await TdsServer.start({ database: sourceDatabase.url, password: PASSWORD });
    const IMPORT_CA_FILE = join(folder, 'ca.pem');
    await writeFile(IMPORT_CA_FILE, source.caCertificate);
    const office = await Office.create({
      IMPORT_ALLOWED: '127.0.0.0/8,::1',
      IMPORT_CA_FILE,
      LOG_LEVEL: 'trace',
      ...env,
    });
    const opened = new ImportOffice(office, source, firm, client, sourceDatabase, folder);
    await office.start('command');
    opened.query = await office.start('query');
    await office.start('projector');
    await opened.startWorker();
    return opened;
  }

  async startWorker(): Promise<void> {
    this.worker = await this.office.start('worker');
  }

  async killWorker(): Promise<void> {
    await this.worker.stop('SIGKILL');
  }

  /** Asks for the promotion of an import. */
  async promote(api: ApiClient, requestId: string): Promise<void> {
    expect(await api.post('etl/promote-to-production', { requestId })).toMatchObject({
      status: 202,
      body: { message: 'Promotion to production started.', requestId },
    });
  }

  /** A new tenant, and what may be done in it. */
  async tenant(alias: string): Promise<{ api: ApiClient; credentials: Credentials }> {
    await this.office.cli('tenants', 'create', '--alias', alias, '--name', `Firm ${alias}`);
    const credentials = await this.office.integration(alias);
    return { api: await this.caller(alias, credentials), credentials };
  }

  caller(alias: string, credentials: Credentials): Promise<ApiClient> {
    return this.office.caller(alias, credentials, { at: { reads: this.query.baseUrl } });
  }

  /** Asks for an import. @returns its id */
  async import(api: ApiClient, connectionString = this.source.connectionString()): Promise<string> {
    const answer = await api.post('etl/import', { connectionString });
    this.answers.push(JSON.stringify(answer.body));
    expect(answer).toMatchObject({
      status: 202,
      body: { message: 'Import request queued successfully.', requestId: expect.any(String) },
    });
    return answer.body.requestId;
  }

  async status(api: ApiClient, requestId: string): Promise<Json> {
    const { status, body } = await api.get(`etl/import-status/${requestId}`);
    expect(status).toBe(200);
    this.answers.push(JSON.stringify(body));
    return body;
  }

  /** The import once it has that status, or has ended. */
  until(api: ApiClient, requestId: string, ...statuses: string[]): Promise<Json> {
    const wanted = async () => {
      const body = await this.status(api, requestId);
      return (statuses.includes(body.status) || body.finishedAt !== null) && body;
    };
    return waitFor(wanted, { timeoutMs: LONG, description: `${statuses.join(' or ') || 'the end'}` });
  }

  /** Names of the tables that have the text in some row. */
  async tablesWith(text: string): Promise<string[]> {
    const tables = await this.office.sql<{ name: string }>(
      `select format('%I.%I', schemaname, tablename) as name from pg_tables
       where schemaname not in ('pg_catalog', 'information_schema')`,
    );
    const found: string[] = [];
    for (const { name } of tables) {
      const [{ has }] = await this.office.sql<{ has: boolean }>(
        `select exists (select from ${name} t where t::text like '%${text}%') as has`,
      );
      if (has) found.push(name);
    }
    return found;
  }

  async close(): Promise<void> {
    await this.source.close();
    await this.sourceClient.end();
    await this.sourceDatabase.drop();
    await this.office.close();
    await rm(this.folder, { recursive: true });
  }
}
