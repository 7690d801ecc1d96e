import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { packageRoot } from '#platform/package-root';

const flags = ['--conditions', 'source', '--require', './test/support/register-typescript.cjs'];

/** Starts `cli --help`, which needs no database. */
const start = (args: string[], stdout: number | 'pipe') =>
  spawn(process.execPath, [...flags, join(packageRoot(), 'apps/cli/main.ts'), ...args, '--help'], {
    cwd: packageRoot(),
    stdio: ['ignore', stdout, 'pipe'],
  });

it.each([
  [[], /^ENOSPC: [^\n]+\n$/],
  [['--json'], /^\{"error":\{"code":"file","message":"ENOSPC: [^\n]+"\}\}\n$/],
])('says in one line that its answer cannot be written: %j', async (args, line) => {
  const full = openSync('/dev/full', 'w');
  const child = start(args, full);
  closeSync(full);
  const [written, [code]] = await Promise.all([text(child.stderr!), once(child, 'exit')]);
  expect(written).toMatch(line);
  expect(code).toBe(1);
});

it('ends quietly when nobody reads its output any more', async () => {
  const child = start([], 'pipe');
  child.stdout!.destroy();
  const [written, [code]] = await Promise.all([text(child.stderr!), once(child, 'exit')]);
  expect({ written, code }).toEqual({ written: '', code: 0 });
});
