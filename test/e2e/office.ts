import { randomBytes } from 'node:crypto';
import { ApiClient, type Credentials, type Json, requestToken } from '../support/client';
import { execute } from '../support/database';
import { createInstallation, type Installation } from '../support/installation';
import { type RunningApp, startApp } from '../support/process';
import { shared } from '../support/shared';
import { waitFor } from '../support/wait-for';
import { Operator } from './operator';

/**
 * A deployment on its own database, or the one that the whole run shares, together with the operator's command line.
 */
export class Office {
  private readonly apps: RunningApp[] = [];
  /** Whether its first process serves writes and reads, and projects. */
  private isWhole: boolean;
  private readonly operator: Operator;

  private constructor(
    private readonly installation: Installation,
    private readonly remove: () => Promise<void>,
    /** The process that serves as its address. */
    private first?: { baseUrl: string },
  ) {
    this.operator = new Operator(installation.env);
    this.isWhole = first !== undefined; // the shared process does all
  }

  /** An office in which no process runs yet. */
  static async create(env: Record<string, string> = {}): Promise<Office> {
    const installation = await createInstallation(env);
    return new Office(installation, installation.remove);
  }

  /** The run's shared `local` process, for tests that only use tenants of their own. */
  static async join(): Promise<Office> {
    const local = await shared('local');
    return new Office(local, async () => {}, local);
  }

  /** An office with one `local` process. */
  static async open(env: Record<string, string> = {}): Promise<Office> {
    const office = await Office.create(env);
    try {
      await office.start('local');
      return office;
    } catch (error) {
      await office.close();
      throw error;
    }
  }

  /** @param flags of Node itself */
  async start(
    name: Parameters<typeof startApp>[0],
    env: Record<string, string> = {},
    flags?: string[],
  ): Promise<RunningApp> {
    const app = await startApp(name, { ...this.installation.env, ...env }, flags);
    if (!this.first) [this.first, this.isWhole] = [app, name === 'local'];
    this.apps.push(app);
    return app;
  }

  get databaseUrl(): string {
    return this.installation.databaseUrl;
  }

  /** The folder of documents. */
  get documents(): string {
    return this.installation.documents;
  }

  get app(): { baseUrl: string } {
    return this.first!;
  }

  /** Queries the database directly. */
  sql<Row extends object>(text: string): Promise<Row[]> {
    return execute(this.databaseUrl, text);
  }

  /** The log of its processes. @throws for the shared process, which also logs the work of other tests */
  output(): string {
    if (this.apps[0] !== this.first) throw new Error('What the shared process writes is not known');
    return this.apps.map((app) => app.output()).join('');
  }

  /** Runs an operator's command. @returns its JSON output */
  cli(...args: string[]): Promise<Json> {
    return this.operator.run(args);
  }

  /** A promoted import of the tenant, without its records. @returns its id */
  async promotedImport(tenant: string): Promise<string> {
    const [{ id }] = await this.sql<{ id: string }>(
      `insert into import.requests (id, tenant_id, kind, status, message, requested_by, queued_at, updated_at, finished_at)
       select gen_random_uuid(), id, 'Promotion', 'Promoted', 'All is in production.', 'cli', now(), now(), now()
       from platform.tenants where alias = '${tenant}' returning id`,
    );
    return id;
  }

  /** A new integration of the tenant, by default with a limit that no test reaches. */
  integration(tenant: string, terms: string[] = []): Promise<Credentials> {
    const limit = terms.includes('--limit') ? [] : ['--limit', '100000'];
    return this.cli('integrations', 'create', '--name', 'Test', '--tenant', tenant, ...limit, ...terms);
  }

  /** A new tenant, and a client in it. */
  async tenant(
    alias = `firm-${randomBytes(6).toString('hex')}`,
    settings: string[] = [],
  ): Promise<ApiClient> {
    await this.cli('tenants', 'create', '--alias', alias, '--name', `Firm ${alias}`);
    if (settings.length > 0) await this.cli('tenants', 'set', '--alias', alias, ...settings);
    const api = await this.caller(alias, await this.integration(alias));
    if (this.isWhole)
      await waitFor(() => shows(api, settings), { description: `the start data of ${alias}` });
    return api;
  }

  /** @param at addresses of the processes that serve writes and reads; by default the first process */
  async caller(
    tenant: string,
    credentials: Credentials,
    { scope, at = {} }: { scope?: string; at?: { writes?: string; reads?: string } } = {},
  ): Promise<ApiClient> {
    const { writes = this.app.baseUrl, reads = writes } = at;
    const { status, body } = await requestToken(writes, credentials, scope);
    if (status !== 200) throw new Error(`No token: ${status} ${JSON.stringify(body)}`);
    return new ApiClient(tenant, body.access_token, { writes, reads });
  }

  /** Stops all of its own processes and removes its database, which fails when a process has left a connection open. */
  async close(): Promise<void> {
    const codes = await Promise.all(this.apps.splice(0).map((app) => app.stop('SIGINT')));
    await this.remove();
    const failed = codes.filter((code) => code !== 0 && code !== null);
    if (failed.length > 0) throw new Error(`Processes ended with ${failed.join(', ')}`);
  }
}

/** Whether the read models show a new tenant's settings and its start data. */
async function shows(api: ApiClient, settings: string[]): Promise<boolean> {
  const [tenant, divisions] = await Promise.all([api.data('GET', 'tenants'), api.rows('divisions')]);
  const isSet = settings.every((setting) => {
    const [name, value] = setting.split('=');
    return String(tenant[name]) === value;
  });
  return isSet && divisions.length > 0;
}
