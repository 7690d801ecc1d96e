import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Json } from '../support/client';
import { cached } from '../support/process';

const root = join(__dirname, '../..');

export interface CliResult {
  /** null when a signal ended it. */
  code: number | null;
  stdout: string;
  stderr: string;
}

export interface RunningCli {
  finished: Promise<CliResult>;
  kill(): void;
}

/** Starts an operator's command in a process that ends when ours does. */
export function startCli(env: Record<string, string>, ...args: string[]): RunningCli {
  const { PATH = '', HOME = '' } = process.env;
  const main = join(root, 'dist/apps/cli/main.js');
  const child = spawn(
    process.execPath,
    [...cached, '--require', require.resolve('../support/exit-with-parent.cjs'), main, ...args, '--json'],
    { cwd: root, env: { PATH, HOME, NODE_ENV: 'test', ...env }, stdio: ['ignore', 'pipe', 'pipe', 'ipc'] },
  );
  let stdout = '';
  let stderr = '';
  child.stdout?.on('data', (chunk) => (stdout += chunk));
  child.stderr?.on('data', (chunk) => (stderr += chunk));
  const finished = once(child, 'close').then(([code]) => ({ code: code as number | null, stdout, stderr }));
  return { finished, kill: () => child.kill('SIGKILL') };
}

/** Runs an operator's command. @returns its JSON output @throws when the exit code is not 0 */
export async function cli(env: Record<string, string>, ...args: string[]): Promise<Json> {
  const { code, stdout, stderr } = await startCli(env, ...args).finished;
  if (code !== 0) throw new Error(`cli ${args.join(' ')} ended with ${code}: ${stdout}${stderr}`);
  return JSON.parse(stdout);
}
