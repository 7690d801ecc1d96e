import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createWriteStream, existsSync, rmSync } from 'node:fs';
import { link, rm } from 'node:fs/promises';
import type { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { conflict, invalid } from '#kernel/errors';

const ENDING = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Writes a file that only its owner can read. It is named `<path>.<letters>.partial` until it is complete; the partial file
 * is removed when the work fails, and when a signal ends the process.
 * @throws DomainError `output_exists`; `file` when no file can be created there
 */
export async function writeWhole<Result>(
  path: string,
  work: (out: Writable) => Promise<Result>,
): Promise<Result> {
  if (path === '') throw invalid('file', 'The name of the file is empty.');
  refuseExisting(existsSync(path), path);
  const partial = `${path}.${randomBytes(4).toString('hex')}.partial`;
  const out = createWriteStream(partial, { flags: 'wx', mode: 0o600, flush: true });
  // The caller that awaits the file reports errors. Without a listener the error of an abandoned write would end the process.
  out.on('error', () => undefined);
  const interrupted = (signal: NodeJS.Signals) => {
    rmSync(partial, { force: true });
    process.kill(process.pid, signal);
  };
  for (const signal of ENDING) process.once(signal, interrupted);
  try {
    await once(out, 'open').catch((error: Error) => {
      throw invalid('file', `${path} cannot be written: ${error.message.split(',')[0]}.`);
    });
    const result = await work(out);
    out.end();
    await finished(out);
    // Unlike a rename, a link never replaces a file.
    await link(partial, path).catch((error) => {
      refuseExisting(error.code === 'EEXIST', path);
      throw error;
    });
    return result;
  } finally {
    for (const signal of ENDING) process.off(signal, interrupted);
    out.destroy();
    await rm(partial, { force: true });
  }
}

function refuseExisting(exists: boolean, path: string): void {
  if (exists) throw conflict('output_exists', `${path} exists already; nothing was written.`);
}
