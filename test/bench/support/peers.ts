import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '#platform/package-root';

const folder = join(packageRoot(), 'test', 'bench', 'peers');

/** Imports a module of test/bench/peers, whose packages live apart from ours; the first use installs them. */
export async function importPeer<Module>(file: string): Promise<Module> {
  if (!existsSync(join(folder, 'node_modules'))) {
    const args = ['install', '--no-audit', '--no-fund', '--no-package-lock'];
    const { status } = spawnSync('npm', args, { cwd: folder, stdio: ['ignore', 2, 2] });
    if (status !== 0) throw new Error(`npm install in ${folder} failed`);
  }
  return import(join(folder, file));
}
