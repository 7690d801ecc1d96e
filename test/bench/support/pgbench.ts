import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Runs a script of one transaction with pgbench. @returns the number of transactions, and the rate per second
 * @param protocol with pgbench's default, `simple`, the statement is parsed every time
 */
export async function pgbench(
  url: string,
  script: string,
  { clients, seconds, protocol }: { clients: number; seconds: number; protocol: 'simple' | 'prepared' },
): Promise<{ done: number; rate: number }> {
  const folder = mkdtempSync(join(tmpdir(), 'practice-pgbench-'));
  try {
    const file = join(folder, 'script.sql');
    writeFileSync(file, script);
    const { hostname, port, username, password, pathname } = new URL(url);
    const args = ['-n', '-c', clients, '-T', Math.ceil(seconds), '-M', protocol, '-f', file];
    const child = spawn(
      'pgbench',
      [...args.map(String), '-h', hostname, '-p', port, '-U', username, pathname.slice(1)],
      {
        env: { ...process.env, PGPASSWORD: password },
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    );
    let output = '';
    let complaints = '';
    child.stdout.on('data', (chunk) => (output += chunk));
    child.stderr.on('data', (chunk) => (complaints += chunk));
    const [code] = await once(child, 'close');
    const done = /transactions actually processed: (\d+)/.exec(output)?.[1];
    const rate = /^tps = ([\d.]+)/m.exec(output)?.[1];
    if (code !== 0 || !done || !rate) throw new Error(`pgbench failed: ${complaints || output}`);
    return { done: Number(done), rate: Number(rate) };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
