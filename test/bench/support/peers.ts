import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '#platform/package-root';

const folder = join(packageRoot(), 'test', 'bench', 'peers');

/** Imports a module of test/bench/peers, which has packages of its own. The first use installs them. */
export async function importPeer<Module>(file: string): Promise<Module> {
  return import(installedPeer(file));
}

/** The path of a module of test/bench/peers, after its packages are installed. */
export function installedPeer(file: string): string {
  if (!isInstalled()) {
    const args = ['install', '--no-audit', '--no-fund', '--no-package-lock'];
    const { status } = spawnSync('npm', args, { cwd: folder, stdio: ['ignore', 2, 2] });
    if (status !== 0) throw new Error(`npm install in ${folder} failed`);
  }
  return join(folder, file);
}

/**
 * Whether every package is installed in the wanted version; an earlier version of the bench may have installed another
 * one.
 */
function isInstalled(): boolean {
  const { dependencies } = packageJson(folder) as { dependencies: Record<string, string> };
  return Object.entries(dependencies).every(
    ([name, version]) => packageJson(join(folder, 'node_modules', name))?.version === version,
  );
}

function packageJson(directory: string): Record<string, unknown> | undefined {
  const file = join(directory, 'package.json');
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined;
}
