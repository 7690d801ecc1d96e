import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { waitFor } from './wait-for';

const root = join(__dirname, '../..');

/** Below the ports that systems give to outgoing connections, which could take a port before its server does. */
const PORTS = [12_000, 32_000] as const;
/**
 * Each worker of Jest has a quarter of the ports and uses them in turn, because a program listens only some time after
 * it was given its port.
 */
const SHARE = (PORTS[1] - PORTS[0]) / 4;
const FIRST = PORTS[0] + SHARE * (Number(process.env.JEST_WORKER_ID ?? 0) % 4);
let next = randomInt(SHARE);

export type RunningApp = {
  baseUrl: string;
  pid: number;
  /** Everything it has written so far, to both streams. */
  output(): string;
  /**
   * Sends a signal (SIGTERM by default) and waits for the end. @returns the exit code; null when the signal ended it
   */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
  exited: Promise<number | null>;
};

/** Flags of a Node that keeps its compiled modules, and so starts sooner after the first time. */
export const cached = ['--require', require.resolve('./module-cache.cjs')];

export type App = 'command' | 'query' | 'projector' | 'worker' | 'local';

/**
 * Starts a built app, as {@link startProcess} does. Without DOCUMENTS_DIR or DATA_DIR it gets a folder for documents that
 * is removed when it ends; otherwise it would create one in the repository.
 */
export async function startApp(
  name: App,
  env: Record<string, string> = {},
  flags?: string[],
): Promise<RunningApp> {
  const main = join(root, 'dist/apps', name, 'main.js');
  if (!existsSync(main)) throw new Error(`${main} is not built: npm run build`);
  if (env.DATA_DIR || env.DOCUMENTS_DIR) return startProcess(main, env, flags);
  const documents = mkdtempSync(join(tmpdir(), 'practice-documents-'));
  const remove = () => rmSync(documents, { recursive: true });
  try {
    const app = await startProcess(main, { ...env, DOCUMENTS_DIR: documents }, flags);
    void app.exited.then(remove);
    return app;
  } catch (error) {
    remove();
    throw error;
  }
}

/**
 * Starts a program on a free port of 127.0.0.1 and waits until GET /health/ready answers 200. It gets the given
 * environment, not that of the test.
 * @param flags of Node itself
 * @throws with its output when it ends before it is ready, or is not ready within two minutes
 */
export async function startProcess(
  main: string,
  env: Record<string, string> = {},
  flags = cached,
): Promise<RunningApp> {
  const port = env.PORT ?? String(await freePort());
  const { PATH = '', HOME = '' } = process.env;
  const child = spawn(
    process.execPath,
    [...flags, '--require', require.resolve('./exit-with-parent.cjs'), main],
    {
      cwd: root,
      env: { PATH, HOME, NODE_ENV: 'test', HOST: '127.0.0.1', PORT: port, ...env },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    },
  );

  let output = '';
  child.stdout?.on('data', (chunk) => (output += chunk));
  child.stderr?.on('data', (chunk) => (output += chunk));
  const exited = once(child, 'close').then(([code]) => code as number | null);
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
  const stop = (signal: NodeJS.Signals = 'SIGTERM') => {
    if (!hasEnded()) child.kill(signal);
    return exited;
  };

  const baseUrl = `http://127.0.0.1:${port}`;
  try {
    await waitFor(() => hasEnded() || isReady(baseUrl), {
      everyMs: 25,
      timeoutMs: 120_000, // many may start at once
      description: `${main} to be ready`,
    });
    if (hasEnded()) throw new Error(`${main} ended with code ${await exited}`);
  } catch (error) {
    await stop('SIGKILL');
    throw new Error(`${(error as Error).message}; its output:\n${output}`);
  }
  return { baseUrl, pid: child.pid!, output: () => output, stop, exited };
}

/** A port of 127.0.0.1 on which nobody listens, and which nobody else was given recently. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = FIRST + (next++ % SHARE);
    const server = createServer();
    const free = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false));
      server.listen(port, '127.0.0.1', () => resolve(true));
    });
    if (!free) continue;
    await once(server.close(), 'close');
    return port;
  }
}

async function isReady(baseUrl: string): Promise<boolean> {
  try {
    const { status } = await fetch(`${baseUrl}/health/ready`, { signal: AbortSignal.timeout(2000) });
    return status === 200;
  } catch {
    return false; // not listening yet
  }
}
