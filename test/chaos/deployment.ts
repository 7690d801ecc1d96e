import { randomBytes } from 'node:crypto';
import { Integrations } from '#platform/auth/integrations';
import { loadConfig } from '#platform/config';
import { TenantSetup } from '#practice/tenants/tenant-setup';
import { openSession } from '../../apps/cli/session';
import { type Credentials, requestToken } from '../support/client';
import { type RunningApp, startApp } from '../support/process';
import { waitFor } from '../support/wait-for';
import { MortalPostgres } from './mortal-postgres';
import type { Outages } from './outages';

type Name = 'command' | 'query' | 'projector';

/** Command, query and projector as processes of their own, on a PostgreSQL of their own. */
export class Deployment {
  private readonly apps = new Map<Name, Promise<RunningApp>>();
  /** What processes that were killed have complained about. */
  private lastWords = '';

  private constructor(
    private readonly database: MortalPostgres,
    readonly env: Record<string, string>,
  ) {}

  static async start(): Promise<Deployment> {
    const database = await MortalPostgres.start();
    const secretsKey = randomBytes(32).toString('base64');
    const env = { DATABASE_URL: database.url, SECRETS_KEY: secretsKey, LOG_LEVEL: 'warn' };
    const deployment = new Deployment(database, env);
    try {
      await deployment.launch('command'); // migrates the database
      await Promise.all([deployment.launch('query'), deployment.launch('projector')]);
      return deployment;
    } catch (error) {
      await deployment.stop();
      throw error;
    }
  }

  get url(): string {
    return this.database.url;
  }

  async addressOf(name: Name): Promise<string> {
    return (await this.apps.get(name)!).baseUrl;
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
  async kill(name: Name): Promise<void> {
    const app = await this.apps.get(name)!;
    const code = await app.stop('SIGKILL');
    this.lastWords += app.output();
    if (code !== null) throw new Error(`${name} had ended by itself, with ${code}`);
    await this.launch(name, { PORT: new URL(app.baseUrl).port });
  }

  /** Kills the process that writes, with all that it has in hand. */
  async loseCommand(outages: Outages): Promise<void> {
    outages.begin();
    await this.kill('command').finally(() => outages.end());
  }

  /** Kills the database and brings it back; over when every process works again, by itself. */
  async loseDatabase(outages: Outages): Promise<void> {
    outages.begin();
    try {
      await this.database.crash();
      await this.database.restart();
      for (const name of this.apps.keys()) {
        const address = `${await this.addressOf(name)}/health/ready`;
        await waitFor(async () => (await fetch(address)).status === 200, {
          timeoutMs: 20_000,
          description: `${name} to find its database again`,
        });
      }
    } finally {
      outages.end();
    }
  }

  /** Resolves when every read model shows all events. */
  async caughtUp(): Promise<void> {
    const address = `${await this.addressOf('projector')}/metrics`;
    const lags = async () => {
      const metrics = await (await fetch(address)).text();
      return [...metrics.matchAll(/^projection_lag_seconds\{.*\} (.*)$/gm)].map(([, lag]) => Number(lag));
    };
    await waitFor(async () => (await lags()).every((lag) => lag === 0), {
      timeoutMs: 30_000,
      description: 'every read model to show all events',
    });
  }

  /** What its processes have complained about, but for requests. */
  async complaints(): Promise<string> {
    const apps = await Promise.allSettled(this.apps.values());
    const outputs = apps.map((app) => (app.status === 'fulfilled' ? app.value.output() : ''));
    const lines = [this.lastWords, ...outputs].join('').split('\n');
    return lines.filter((line) => !line.includes('"context":"Http"')).join('\n');
  }

  /** Stops everything; the exit codes of the processes. */
  async stop(): Promise<(number | null)[]> {
    try {
      const apps = await Promise.allSettled(this.apps.values());
      const running = apps.flatMap((app) => (app.status === 'fulfilled' ? [app.value] : []));
      return await Promise.all(running.map((app) => app.stop()));
    } finally {
      await this.database.stop();
    }
  }

  private async launch(name: Name, env: Record<string, string> = {}): Promise<void> {
    const starting = startApp(name, { ...this.env, ...env });
    this.apps.set(name, starting);
    await starting;
  }

  private async token(credentials: Credentials): Promise<string> {
    const { status, body } = await requestToken(await this.addressOf('command'), credentials);
    if (status !== 200) throw new Error(`No token: ${status} ${JSON.stringify(body)}`);
    return body.access_token;
  }
}
