import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const TIMEOUT_MS = 10_000;

/**
 * Makes a folder that survives a crash, and a file in it, which it removes. Runs as a program of its own. It makes one
 * folder at a time, since Node says ENOENT for a recursive `mkdir` on a read-only file system, and never returns from
 * one in /proc.
 */
function tryFolder(folder: string): void {
  const { closeSync, fsyncSync, mkdirSync, openSync, rmSync } =
    require('node:fs') as typeof import('node:fs');
  const { dirname, join } = require('node:path') as typeof import('node:path');
  const make = (path: string, hasParent = false): void => {
    try {
      mkdirSync(path, { mode: 0o750 });
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'EEXIST') return;
      if (code !== 'ENOENT' || hasParent) throw error;
      make(dirname(path));
      make(path, true);
      return;
    }
    const parent = openSync(dirname(path), 'r');
    fsyncSync(parent);
    closeSync(parent);
  };
  try {
    make(folder);
    const file = join(folder, `trial-${process.pid}-${Date.now()}`);
    closeSync(openSync(file, 'wx'));
    rmSync(file);
  } catch (error) {
    process.stdout.write((error as Error).message);
    process.exitCode = 1;
  }
}

/**
 * Makes a folder unless it exists, and finds out whether it can be written. Another process tries: a call on a network
 * folder that hangs never returns, and would keep this process from exiting.
 * @returns why it cannot be written; undefined when it can
 */
export async function whyNotWritable(folder: string): Promise<string | undefined> {
  const program = `(${tryFolder})(process.argv[1])`;
  const options = { signal: AbortSignal.timeout(TIMEOUT_MS), killSignal: 'SIGKILL' } as const;
  try {
    await promisify(execFile)(process.execPath, ['-e', program, folder], options);
    return undefined;
  } catch (error) {
    const { name, message, stdout } = error as Error & { stdout?: string };
    if (name === 'AbortError') return `it does not answer within ${TIMEOUT_MS / 1000} s`;
    return stdout || message;
  }
}
