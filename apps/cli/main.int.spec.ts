import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { packageRoot } from '#platform/package-root';
import { secretsKey } from '../../test/support/auth-application';
import { createTestDatabase } from '../../test/support/database';

const flags = ['--conditions', 'source', '--require', './test/support/register-typescript.cjs'];

const start = (args: string[], stdout: number | 'pipe', env: Record<string, string> = {}) =>
  spawn(process.execPath, [...flags, join(packageRoot(), 'apps/cli/main.ts'), ...args], {
    cwd: packageRoot(),
    stdio: ['ignore', stdout, 'pipe'],
    env: { ...process.env, ...env },
  });
/** Starts `cli --help`, which needs no database. */
const startHelp = (args: string[], stdout: number | 'pipe') => start([...args, '--help'], stdout);

it.each([
  [[], /^ENOSPC: [^\n]+\n$/],
  [['--json'], /^\{"error":\{"code":"file","message":"ENOSPC: [^\n]+"\}\}\n$/],
])('says in one line that its answer cannot be written: %j', async (args, line) => {
  const full = openSync('/dev/full', 'w');
  const child = startHelp(args, full);
  closeSync(full);
  const [written, [code]] = await Promise.all([text(child.stderr!), once(child, 'exit')]);
  expect(written).toMatch(line);
  expect(code).toBe(1);
});

it('ends quietly when nobody reads its output any more', async () => {
  const child = startHelp([], 'pipe');
  child.stdout!.destroy();
  const [written, [code]] = await Promise.all([text(child.stderr!), once(child, 'exit')]);
  expect({ written, code }).toEqual({ written: '', code: 0 });
});

it('says that nobody read a secret that is shown once, and how to make another', async () => {
  const database = await createTestDatabase();
  const env = { DATABASE_URL: database.url, SECRETS_KEY: secretsKey };
  async function unread(...args: string[]) {
    const child = start(args, 'pipe', env);
    child.stdout!.destroy();
    const [written, [code]] = await Promise.all([text(child.stderr!), once(child, 'exit')]);
    return { written, code };
  }
  try {
    const created = await unread('tenants', 'create', '--alias', 'acme', '--name', 'Acme');
    expect(created).toEqual({ written: '', code: 0 });
    const named = ['--name', 'Ours', '--client-id', 'ours'];
    const again =
      'Nobody read the secret of ours: integrations rotate-secret --client-id ours makes another.';
    expect(await unread('integrations', 'create', '--tenant', 'acme', ...named)).toEqual({
      written: `${again}\n`,
      code: 1,
    });
    const { written, code } = await unread('integrations', 'rotate-secret', '--name', 'Ours', '--json');
    expect([JSON.parse(written), code]).toEqual([{ error: { code: 'secret_unread', message: again } }, 1]);
  } finally {
    await database.drop();
  }
});
