import { randomBytes } from 'node:crypto';
import { Integrations } from '#platform/auth/integrations';
import { loadConfig } from '#platform/config';
import { TenantSetup } from '#practice/tenants/tenant-setup';
import { openSession } from '../../apps/cli/session';
import { type Credentials, requestToken } from '../support/client';
import { type RunningApp, startApp } from '../support/process';
import { waitFor } from '../support/wait-for';
import { LOADED_MS } from './loaded';
import { MortalPostgres } from './mortal-postgres';
import type { Outages } from './outages';

const NAMES = ['command', 'query', 'projector', 'worker'] as const;
type Name = (typeof NAMES)[number];
type Copies = Record<Exclude<Name, 'worker'>, number> & { worker?: number };

/** What the database calls the sessions of a copy of the worker. */
export const workerName = (copy: number) => `worker ${copy}`;

/** Copies of each process as processes of their own, on a PostgreSQL of their own. */
export class Deployment {
  private readonly apps: Record<Name, Promise<RunningApp>[]> = {
    command: [],
    query: [],
    projector: [],
    worker: [],
  };
  /** What processes that were killed have complained about. */
  private lastWords = '';

  private constructor(
    private readonly database: MortalPostgres,
    readonly env: Record<string, string>,
  ) {}

  /**
   * @param copies how many of each process
   * @param settings environment of all of them, beside what every deployment needs
   */
  static async start(copies: Copies, settings: Record<string, string> = {}): Promise<Deployment> {
    const database = await MortalPostgres.start();
    const secretsKey = randomBytes(32).toString('base64');
    const env = { DATABASE_URL: database.url, SECRETS_KEY: secretsKey, LOG_LEVEL: 'warn', ...settings };
    const deployment = new Deployment(database, env);
    try {
      await deployment.launch('command', 0); // migrates the database
      const all = NAMES.flatMap((name) =>
        Array.from({ length: copies[name] ?? 0 }, (_, copy) => ({ name, copy })),
      );
      await Promise.all(all.slice(1).map(({ name, copy }) => deployment.launch(name, copy)));
      return deployment;
    } catch (error) {
      await deployment.stop();
      throw error;
    }
  }

  get url(): string {
    return this.database.url;
  }

  /** Of every copy. */
  async addressesOf(name: Name): Promise<string[]> {
    return (await Promise.all(this.apps[name])).map(({ baseUrl }) => baseUrl);
  }

  /** Which copies these are, by the ids of their processes. */
  async pidsOf(name: Name): Promise<number[]> {
    return (await Promise.all(this.apps[name])).map(({ pid }) => pid);
  }

  /** Tenants with these aliases, each with an integration whose limit is out of reach; a token for each. */
  async openTenants(aliases: string[]): Promise<Map<string, string>> {
    const print = (text: string) => process.stderr.write(text);
    const session = openSession({ config: () => loadConfig(this.env), out: print, err: print }, true);
    await session.use(TenantSetup, async (setup) => {
      for (const alias of aliases) await setup.create({ alias, name: `Firm ${alias}` });
    });
    const terms = { limit: 10_000_000, period: 3600 };
    const made = await session.use(Integrations, (integrations) =>
      Promise.all(aliases.map((tenant) => integrations.create({ name: tenant, tenant, ...terms }))),
    );
    return new Map(await Promise.all(made.map(async (one) => [one.tenant, await this.token(one)] as const)));
  }

  /** SIGKILL, and a new one at the same address. @throws when it was dead already */
  async kill(name: Name, copy = 0): Promise<void> {
    const restart = await this.fell(name, copy);
    await restart();
  }

  /** SIGKILL alone. @returns what starts a new one at the same address. @throws when it was dead already */
  async fell(name: Name, copy = 0): Promise<() => Promise<void>> {
    const app = await this.apps[name][copy];
    const code = await app.stop('SIGKILL');
    this.lastWords += app.output();
    if (code !== null) throw new Error(`${name} had ended by itself, with ${code}`);
    return () => this.launch(name, copy, { PORT: new URL(app.baseUrl).port });
  }

  /** Kills the process that writes, with all that it has in hand. */
  async loseCommand(outages: Outages): Promise<void> {
    outages.begin();
    await this.kill('command').finally(() => outages.end());
  }

  /**
   * Kills the database and brings it back; over when every process works again, by itself.
   * @param first begun before it is back, for whoever must be sooner than those processes
   */
  async loseDatabase(outages: Outages, first?: () => Promise<unknown>): Promise<void> {
    outages.begin();
    try {
      await this.database.crash();
      await Promise.all([this.database.restart(), first?.()]);
      const all = await Promise.all(NAMES.map((name) => this.addressesOf(name)));
      for (const address of all.flat()) {
        await waitFor(async () => (await fetch(`${address}/health/ready`)).status === 200, {
          timeoutMs: LOADED_MS,
          description: `${address} to find its database again`,
        });
      }
    } finally {
      outages.end();
    }
  }

  /** Resolves when every read model shows all events. */
  async caughtUp(): Promise<void> {
    const shown = async () => {
      const lags = await this.measure('projector', /^projection_lag_seconds\{.*\} (.*)$/gm);
      return lags.length > 0 && lags.every((lag) => lag === 0);
    };
    await waitFor(shown, { timeoutMs: LOADED_MS, description: 'every read model to show all events' });
  }

  /** What the metrics of all copies say in the lines that match. */
  async measure(name: Name, line: RegExp): Promise<number[]> {
    const addresses = await this.addressesOf(name);
    const texts = await Promise.all(addresses.map(async (one) => (await fetch(`${one}/metrics`)).text()));
    return texts.flatMap((text) => [...text.matchAll(line)].map(([, value]) => Number(value)));
  }

  /** The lines of metrics that match and what health tells, by process; of one that does not answer, why. */
  async sayings(name: Name, line: RegExp): Promise<string> {
    const apps = await Promise.all(this.apps[name]);
    const ask = async (url: string) => (await fetch(url, { signal: AbortSignal.timeout(10_000) })).text();
    const said = apps.map(async ({ pid, baseUrl }) => {
      const told = Promise.all([ask(`${baseUrl}/health/ready`), ask(`${baseUrl}/metrics`)]);
      const lines = told.then(([health, metrics]) => [health, ...(metrics.match(line) ?? [])]);
      return [`${name} ${pid}:`, ...(await lines.catch((error: Error) => [error.message]))].join('\n  ');
    });
    return (await Promise.all(said)).join('\n');
  }

  /** What its processes have complained about, but for requests. */
  async complaints(): Promise<string> {
    const outputs = (await this.running()).map((app) => app.output());
    const lines = [this.lastWords, ...outputs].join('').split('\n');
    return lines.filter((line) => !line.includes('"context":"Http"')).join('\n');
  }

  /** Stops everything; the exit codes of the processes. */
  async stop(): Promise<(number | null)[]> {
    try {
      return await Promise.all((await this.running()).map((app) => app.stop()));
    } finally {
      await this.database.stop();
    }
  }

  /** Those that have started. */
  private async running(): Promise<RunningApp[]> {
    const apps = await Promise.allSettled(Object.values(this.apps).flat());
    return apps.flatMap((app) => (app.status === 'fulfilled' ? [app.value] : []));
  }

  private async launch(name: Name, copy: number, env: Record<string, string> = {}): Promise<void> {
    const own = name === 'worker' ? this.named(workerName(copy)) : {};
    const starting = startApp(name, { ...this.env, ...own, ...env });
    this.apps[name][copy] = starting;
    await starting;
  }

  /** So that it can be told whose sessions those are. */
  private named(name: string): Record<string, string> {
    const url = new URL(this.url);
    url.searchParams.set('application_name', name);
    return { DATABASE_URL: url.href };
  }

  private async token(credentials: Credentials): Promise<string> {
    const { status, body } = await requestToken((await this.addressesOf('command'))[0], credentials);
    if (status !== 200) throw new Error(`No token: ${status} ${JSON.stringify(body)}`);
    return body.access_token;
  }
}
