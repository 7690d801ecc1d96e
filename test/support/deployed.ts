import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '#platform/package-root';
import { type App, type RunningApp, startApp } from './process';

const { scripts } = JSON.parse(readFileSync(join(packageRoot(), 'package.json'), 'utf8'));

/** The flags of Node with which package.json starts a program. */
export function nodeFlags(name: App | 'cli'): string[] {
  const script: string = scripts[{ local: 'start', cli: 'cli' }[name as string] ?? `start:${name}`];
  return script.match(/--\S+/g) ?? [];
}

/** Starts an app as a user does: without the tests' cache of modules, which changes its use of memory. */
export function startDeployed(name: App, env: Record<string, string>): Promise<RunningApp> {
  return startApp(name, env, nodeFlags(name));
}
