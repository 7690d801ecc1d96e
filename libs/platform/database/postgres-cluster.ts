import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chownSync,
  closeSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import {
  type Account,
  canEnter,
  isRoot,
  makeEnterable,
  postgresAccount,
  runAs,
  sharedFolder,
} from './postgres-binaries';

/** A PostgreSQL cluster on disk: its programs, its files, and the account that owns them. */
export type Cluster = { native: string; data: string; account: Account };

/**
 * The folder of the cluster's files, `<dataDir>/postgres`, and the account that owns it. If the account cannot reach
 * that folder, the files are below {@link sharedFolder}, and `<dataDir>/postgres` is a symbolic link to them.
 * @throws when a folder that holds data cannot be reached
 */
export function clusterFolder(
  dataDir: string,
  log: (line: string) => void,
): { folder: string; account: Account } {
  mkdirSync(dataDir, { recursive: true });
  const path = join(dataDir, 'postgres');
  if (!existsSync(path)) return newClusterFolder(path, dataDir, log);

  const folder = realpathSync(path);
  const { uid, gid } = statSync(folder);
  const account = isRoot && uid !== 0 ? { uid, gid } : postgresAccount();
  if (!canEnter(account, folder)) {
    if (uid !== 0) throw new Error(`its owner (user id ${uid}) cannot enter ${folder}`);
    own(folder, account); // created by root, and stopped before it was handed over
  }
  return { folder, account };
}

function newClusterFolder(path: string, dataDir: string, log: (line: string) => void) {
  const account = postgresAccount();
  let folder = path;
  if (lstatSync(path, { throwIfNoEntry: false })) rmSync(path); // a link to a folder that is gone
  if (canEnter(account, dataDir)) {
    mkdirSync(path, { mode: 0o700 });
    folder = realpathSync(path);
  } else {
    makeEnterable(sharedFolder);
    folder = mkdtempSync(join(sharedFolder, 'postgres-'));
    symlinkSync(folder, path);
    log(`the user "postgres" cannot enter ${dataDir}: the database's files are kept in ${folder}`);
  }
  own(folder, account);
  return { folder, account };
}

export function own(path: string, { uid, gid }: Account): void {
  if (uid !== undefined && gid !== undefined) chownSync(path, uid, gid);
}

/** Makes the cluster's files, with the superuser `postgres`. The remains of a killed attempt are replaced. */
export async function initialise(cluster: Cluster, password: string, flags: string[]): Promise<void> {
  const { data, account } = cluster;
  const partial = `${data}.partial`;
  const passwordFile = `${data}.password`;
  rmSync(partial, { recursive: true, force: true });
  writeFileSync(passwordFile, password, { mode: 0o600 });
  own(passwordFile, account);
  try {
    await run(cluster, 'initdb', [
      `--pgdata=${partial}`,
      '--username=postgres',
      `--pwfile=${passwordFile}`,
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      // the same order and case rules on every machine, whatever its locales
      '--locale=C',
      '--locale-provider=builtin',
      '--builtin-locale=C.UTF-8',
      ...flags,
    ]);
    renameSync(partial, data);
  } finally {
    rmSync(passwordFile);
  }
}

/**
 * Starts the server; its messages go to the file. A Ctrl-C for this process does not reach it: the first caller that
 * stops the server ends it.
 */
export function spawnServer(
  cluster: Cluster,
  settings: Record<string, string>,
  logFile: string,
): ChildProcess {
  const { native, data, account } = cluster;
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const output = openSync(logFile, 'w', 0o600);
  try {
    return spawn(join(native, 'bin', 'postgres'), ['-D', data, ...flags], {
      ...runAs(account),
      detached: true,
      stdio: ['ignore', output, output],
    });
  } finally {
    closeSync(output);
  }
}

/** Stops the server by a fast shutdown: open transactions are rolled back. Resolves when the server is gone. */
export async function stopServer(cluster: Cluster): Promise<void> {
  await run(cluster, 'pg_ctl', ['stop', '--pgdata', cluster.data, '--mode=fast', '--wait', '--timeout=120']);
}

async function run({ native, account }: Cluster, program: string, args: string[]): Promise<void> {
  const child = spawn(join(native, 'bin', program), args, runAs(account));
  let output = '';
  child.stdout.on('data', (chunk) => (output += chunk));
  child.stderr.on('data', (chunk) => (output += chunk));
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`PostgreSQL's ${program} failed: ${lastProblem(output)}`);
}

/** The line of PostgreSQL's output that says what went wrong. */
export function lastProblem(output: string): string {
  const lines = output.split(/\r?\n/).filter((line) => line.trim());
  const problem = lines.findLast((line) => /(FATAL|PANIC|error):/.test(line)) ?? lines.at(-1) ?? 'no output';
  return problem.replace(/^.*?(FATAL|PANIC|error): +/, '');
}

/** The server that runs on these files, even if another process has started it. */
export function runningServer(data: string): { pid: number; port: number } | undefined {
  const file = join(data, 'postmaster.pid');
  if (!existsSync(file)) return undefined;
  // the file's lines: pid, data folder, start time, port, …
  const lines = readFileSync(file, 'utf8').split('\n');
  const pid = Number(lines[0]);
  if (isServerOf(pid, data)) return { pid, port: Number(lines[3]) };
  // PostgreSQL itself takes over the file of a dead server, but not when another process has that pid now.
  if (isAlive(pid)) rmSync(file);
  return undefined;
}

function isServerOf(pid: number, data: string): boolean {
  if (!existsSync('/proc/self/cmdline')) return isAlive(pid);
  const commandLine = `/proc/${pid}/cmdline`;
  return existsSync(commandLine) && readFileSync(commandLine, 'utf8').split('\0').includes(data);
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
