import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createWriteStream, existsSync, rmSync } from 'node:fs';
import { link, rm } from 'node:fs/promises';
import type { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { conflict, invalid } from '#kernel/errors';

/**
 * Writes a file that only its owner can read. It is named `<path>.<letters>.partial` until it is complete; the partial file
 * is removed when the work fails, and on Ctrl-C.
 * @throws DomainError `output_exists`; `file` when no file can be created there
 */
export async function writeWhole<Result>(
  path: string,
  work: (out: Writable) => Promise<Result>,
): Promise<Result> {
  refuseExisting(existsSync(path), path);
  const partial = `${path}.${randomBytes(4).toString('hex')}.partial`;
  const out = createWriteStream(partial, { flags: 'wx', mode: 0o600, flush: true });
  // The caller that awaits the file reports errors. Without a listener the error of an abandoned write would end the process.
  out.on('error', () => undefined);
  const interrupted = () => {
    rmSync(partial, { force: true });
    process.kill(process.pid, 'SIGINT');
  };
  process.once('SIGINT', interrupted);
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
    process.off('SIGINT', interrupted);
    out.destroy();
    await rm(partial, { force: true });
  }
}

function refuseExisting(exists: boolean, path: string): void {
  if (exists) throw conflict('output_exists', `${path} exists already; nothing was written.`);
}
