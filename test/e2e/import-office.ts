import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ApiClient, Credentials, Json } from '../support/client';
import type { RunningApp } from '../support/process';
import { localCertificate } from '../support/tds/certificate';
import { waitFor } from '../support/wait-for';
import { ImportSource } from './import-source';
import { Office } from './office';

/** A 15-second lease has to end before another worker continues. */
const LONG = 180_000;

/** A deployment of separate processes, and the SQL Servers of firms from which it imports. */
export class ImportOffice {
  private worker!: RunningApp;
  private query!: RunningApp;
  /** All answers about imports. */
  readonly answers: string[] = [];
  private constructor(
    readonly office: Office,
    readonly sources: readonly ImportSource[],
    private readonly folder: string,
  ) {}

  /** @param items the number of work items of each firm */
  static async open(items: number[], env: Record<string, string> = {}): Promise<ImportOffice> {
    const folder = await mkdtemp(join(tmpdir(), 'practice-import-'));
    const certificate = await localCertificate();
    const IMPORT_CA_FILE = join(folder, 'ca.pem');
    await writeFile(IMPORT_CA_FILE, certificate.ca);
    const sources = await Promise.all(items.map((count) => ImportSource.open(count, certificate)));
    const office = await Office.create({ IMPORT_ALLOWED: '127.0.0.0/8,::1', IMPORT_CA_FILE, ...env });
    const opened = new ImportOffice(office, sources, folder);
    await office.start('command'); // first, because it becomes the office's address
    const others = [office.start('query'), office.start('projector'), opened.startWorker()] as const;
    [opened.query] = await Promise.all(others);
    return opened;
  }

  async startWorker(): Promise<void> {
    this.worker = await this.office.start('worker');
  }

  async workerMetrics(): Promise<string> {
    return (await fetch(`${this.worker.baseUrl}/metrics`)).text();
  }

  async killWorker(): Promise<void> {
    await this.worker.stop('SIGKILL');
  }

  /** Requests the promotion of an import. */
  async promote(api: ApiClient, requestId: string): Promise<void> {
    expect(await api.post('etl/promote-to-production', { requestId })).toMatchObject({
      status: 202,
      body: { message: 'Promotion to production started.', requestId },
    });
  }

  /** A new tenant, with a client in it and the credentials of the client. */
  async tenant(alias: string): Promise<{ api: ApiClient; credentials: Credentials }> {
    await this.office.cli('tenants', 'create', '--alias', alias, '--name', `Firm ${alias}`);
    const credentials = await this.office.integration(alias);
    return { api: await this.caller(alias, credentials), credentials };
  }

  caller(alias: string, credentials: Credentials): Promise<ApiClient> {
    return this.office.caller(alias, credentials, { at: { reads: this.query.baseUrl } });
  }

  /** Requests an import. @returns its id */
  async import(
    api: ApiClient,
    connectionString = this.sources[0].server.connectionString(),
  ): Promise<string> {
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

  /** The status of an import once it has one of the given statuses, or has ended. */
  until(api: ApiClient, requestId: string, ...statuses: string[]): Promise<Json> {
    const wanted = async () => {
      const body = await this.status(api, requestId);
      return (statuses.includes(body.status) || body.finishedAt !== null) && body;
    };
    const description = statuses.join(' or ') || 'the end';
    return waitFor(wanted, { everyMs: 25, timeoutMs: LONG, description });
  }

  /** The names of the tables in which a row contains the text. */
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
    await Promise.all(this.sources.map((source) => source.close()));
    await this.office.close();
    await rm(this.folder, { recursive: true });
  }
}
