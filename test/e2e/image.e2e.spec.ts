import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { ApiClient, requestToken } from '../support/client';
import { createTestDatabase, execute, type TestDatabase } from '../support/database';
import { freePort, type RunningApp, startProcess } from '../support/process';
import { waitFor } from '../support/wait-for';

const run = promisify(execFile);
const root = join(__dirname, '../..');
const finalStage = readFileSync(join(root, 'Dockerfile'), 'utf8')
  .split(/^(?=FROM )/m)
  .at(-1)!;

/** The packages of production, by their places in node_modules. */
function productionPackages(): string[] {
  type Package = { dev?: boolean; optional?: boolean; devOptional?: boolean };
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  const places = Object.entries<Package>(packages)
    .filter(([place, { dev, optional, devOptional }]) => place && !dev && !optional && !devOptional)
    .map(([place]) => place);
  return places.filter((place) => place.lastIndexOf('node_modules/') === 0);
}

/** Fills a folder with the contents of the image, from what is built and installed here. */
function layOut(folder: string): void {
  for (const [, stage, paths] of finalStage.matchAll(/^COPY (--from=\w+ )?(.*)$/gm)) {
    const sources = paths.split(' ');
    const target = sources.pop()!;
    for (const source of sources) {
      const path = stage ? source.replace('/app/', '') : source;
      if (path === 'node_modules') continue;
      // The image creates this folder itself.
      if (path.startsWith('/')) {
        mkdirSync(join(folder, path), { recursive: true });
        continue;
      }
      cpSync(join(root, path), join(folder, target === './' ? path : target), { recursive: true });
    }
  }
  for (const place of productionPackages()) {
    mkdirSync(dirname(join(folder, place)), { recursive: true });
    symlinkSync(join(root, place), join(folder, place));
  }
}

describe('the contents of the image', () => {
  let folder: string;
  let database: TestDatabase;
  let env: Record<string, string>;
  let apps: RunningApp[] = [];

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'practice-image-'));
    layOut(folder);
    database = await createTestDatabase();
    env = {
      NODE_ENV: 'production',
      // a linked package finds only packages that are linked here
      NODE_OPTIONS: '--preserve-symlinks --preserve-symlinks-main',
      DATABASE_URL: database.url,
      SECRETS_KEY: randomBytes(32).toString('base64'),
      DOCUMENTS_DIR: join(folder, 'documents'),
    };
    const main = (name: string) => join(folder, 'dist/apps', name, 'main.js');
    apps = await Promise.all(
      ['command', 'query', 'projector', 'worker'].map((name) => startProcess(main(name), env, [])),
    );
  });
  afterAll(async () => {
    await Promise.all(apps.map((app) => app.stop()));
    await database.drop();
    rmSync(folder, { recursive: true });
  });

  const cli = async (...args: string[]) => {
    const { PATH = '' } = process.env;
    const main = join(folder, 'dist/apps/cli/main.js');
    const { stdout } = await run(process.execPath, [main, ...args, '--json'], { env: { PATH, ...env } });
    return JSON.parse(stdout);
  };

  it('are all that the processes need: a write is read, and sealed', async () => {
    const [command, query] = apps;
    await cli('tenants', 'create', '--alias', 'acme', '--name', 'Acme');
    const credentials = await cli('integrations', 'create', '--name', 'Test', '--tenant', 'acme');
    const { body } = await requestToken(command.baseUrl, credentials);
    const at = { writes: command.baseUrl, reads: query.baseUrl };
    const api = new ApiClient('acme', body.access_token, at);
    await api.create('entities', { entityType: 'Individual', lastName: 'Lovelace' });
    expect(await api.rows('entities', { keywords: 'Lovelace' })).toHaveLength(1);
    expect((await api.get('/openapi.json')).status).toBe(200);
    await waitFor(
      async () => (await execute(database.url, 'select 1 from event_store.seals limit 1')).length > 0,
      { description: 'a seal of the worker' },
    );
  });

  it('have a health check that tells whether the process serves', async () => {
    const [, arguments_] = /^HEALTHCHECK .*CMD (\[.*\])$/m.exec(finalStage)!;
    const [node, ...args] = JSON.parse(arguments_) as string[];
    const check = (port: string) => run(node, args, { env: { PATH: process.env.PATH, PORT: port } });
    for (const { baseUrl } of apps) await check(new URL(baseUrl).port);
    await expect(check(String(await freePort()))).rejects.toMatchObject({ code: 1 });
  });

  it('stop on SIGTERM', async () => {
    expect(await Promise.all(apps.map((app) => app.stop()))).toEqual([0, 0, 0, 0]);
  });
});
