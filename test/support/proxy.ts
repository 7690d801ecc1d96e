import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './process';
import { waitFor } from './wait-for';

const caddyfile = join(__dirname, '../../Caddyfile');

/** The deployment's proxy, on a free port of 127.0.0.1. */
export interface RunningProxy {
  readonly baseUrl: string;
  /** Everything it has written so far. */
  output(): string;
  stop(): Promise<void>;
}

/**
 * Starts Caddy with the deployment's own Caddyfile. It ends with this process at the latest.
 * @param upstreams base addresses of the processes
 * @param env added to its environment
 * @throws with its output when it does not serve
 */
export async function startProxy(
  upstreams: { command: string[]; query: string[] },
  env: Record<string, string> = {},
): Promise<RunningProxy> {
  const port = String(await freePort());
  const folder = mkdtempSync(join(tmpdir(), 'practice-proxy-')); // Caddy keeps its last configuration
  const hosts = (urls: string[]) => urls.map((url) => new URL(url).host).join(' ');
  // The pipe to `cat` closes when this process ends, even if it is killed.
  const script = '"$@" & caddy=$!; cat > /dev/null; kill $caddy; wait $caddy; rm -r "$0"';
  const run = ['caddy', 'run', '--config', caddyfile, '--adapter', 'caddyfile'];
  const child = spawn('sh', ['-c', script, folder, ...run], {
    env: {
      PATH: process.env.PATH,
      HOME: folder,
      PORT: port,
      HOST: '127.0.0.1',
      COMMAND_UPSTREAMS: hosts(upstreams.command),
      QUERY_UPSTREAMS: hosts(upstreams.query),
      ...env,
    },
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true, // a terminal's Ctrl-C reaches only this process, which then ends Caddy
  });
  let output = '';
  child.stdout.on('data', (chunk) => (output += chunk));
  child.stderr.on('data', (chunk) => (output += chunk));
  const exited = once(child, 'close');
  const stop = async () => {
    child.stdin.end();
    await exited;
  };

  const baseUrl = `http://127.0.0.1:${port}`;
  try {
    await waitFor(() => isServing(baseUrl), { description: 'the proxy' });
  } catch (error) {
    await stop();
    throw new Error(`${(error as Error).message}; its output:\n${output}`);
  }
  return { baseUrl, output: () => output, stop };
}

/**
 * `describe` for tests that call {@link startProxy}. Without Caddy they are skipped with a message. With
 * REQUIRE_CADDY=1, or with REQUIRE_KAFKA=1, which asks for the whole deployment, they fail.
 */
export function describeWithCaddy(name: string, suite: () => void): void {
  if (spawnSync('caddy', ['version']).status === 0) {
    describe(name, suite);
  } else if (process.env.REQUIRE_CADDY === '1' || process.env.REQUIRE_KAFKA === '1') {
    describe(name, () => {
      it('has a Caddy', () => {
        throw new Error(nothingHere);
      });
    });
  } else {
    process.stderr.write(`${name}: skipped. ${nothingHere}\n`);
    describe.skip(name, suite);
  }
}

const nothingHere = 'There is no caddy in PATH';

async function isServing(baseUrl: string): Promise<boolean> {
  try {
    return (await fetch(`${baseUrl}/health/live`)).ok;
  } catch {
    return false; // not listening yet
  }
}
