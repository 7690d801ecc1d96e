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

/** The name of a worker's database sessions. */
export const workerName = (copy: number) => `worker ${copy}`;

/** Copies of each service process, as real processes on a PostgreSQL server of their own. */
export class Deployment {
  private readonly apps: Record<Name, Promise<RunningApp>[]> = {
    command: [],
    query: [],
    projector: [],
    worker: [],
  };
  /** The output of processes that were killed. */
  private lastWords = '';

  private constructor(
    private readonly database: MortalPostgres,
    readonly env: Record<string, string>,
  ) {}

  /**
   * @param copies the number of copies of each process
   * @param settings environment of all processes, in addition to what every deployment needs
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

  /** The addresses of all copies of a process. */
  async addressesOf(name: Name): Promise<string[]> {
    return (await Promise.all(this.apps[name])).map(({ baseUrl }) => baseUrl);
  }

  /** The process ids of the copies, in the order of the copies. */
  async pidsOf(name: Name): Promise<number[]> {
    return (await Promise.all(this.apps[name])).map(({ pid }) => pid);
  }

  /** Creates tenants, each with an integration whose rate limit is out of reach. @returns a token for each */
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

  /** Kills a process with SIGKILL and starts another one at the same address. @throws when it was already dead */
  async kill(name: Name, copy = 0): Promise<void> {
    const restart = await this.fell(name, copy);
    await restart();
  }

  /**
   * Only kills a process. @returns a function that starts another one at the same address @throws when it was already
   * dead
   */
  async fell(name: Name, copy = 0): Promise<() => Promise<void>> {
    const app = await this.apps[name][copy];
    const code = await app.stop('SIGKILL');
    this.lastWords += app.output();
    if (code !== null) throw new Error(`${name} had ended by itself, with ${code}`);
    return () => this.launch(name, copy, { PORT: new URL(app.baseUrl).port });
  }

  /** Kills the command process with everything that it has in progress. */
  async loseCommand(outages: Outages): Promise<void> {
    outages.begin();
    await this.kill('command').finally(() => outages.end());
  }

  /**
   * Kills the database and restarts it. Resolves when every process works again without help.
   * @param first begins together with the restart, for what must happen before the processes are back
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

  /** The values in the lines of all copies' metrics that match. */
  async measure(name: Name, line: RegExp): Promise<number[]> {
    const addresses = await this.addressesOf(name);
    const texts = await Promise.all(addresses.map(async (one) => (await fetch(`${one}/metrics`)).text()));
    return texts.flatMap((text) => [...text.matchAll(line)].map(([, value]) => Number(value)));
  }

  /** Health and the matching lines of metrics of each process, or the reason why it does not answer. */
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

  /** The log of all processes, without lines about requests. */
  async complaints(): Promise<string> {
    const outputs = (await this.running()).map((app) => app.output());
    const lines = [this.lastWords, ...outputs].join('').split('\n');
    return lines.filter((line) => !line.includes('"context":"Http"')).join('\n');
  }

  /** Stops everything. @returns the exit codes of the processes */
  async stop(): Promise<(number | null)[]> {
    try {
      return await Promise.all((await this.running()).map((app) => app.stop()));
    } finally {
      await this.database.stop();
    }
  }

  /** The processes that have started. */
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

  /** Names a process's database sessions, so that a test can tell whose they are. */
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
