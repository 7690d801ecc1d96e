import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createWriteStream, existsSync, rmSync } from 'node:fs';
import { link, rm } from 'node:fs/promises';
import type { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { conflict, invalid } from '#kernel/errors';

/**
 * Writes a file, readable by its owner only, that has its name once it is complete: until then it is
 * `<path>.<letters>.partial`, which goes when the work fails, and with Ctrl-C.
 * @throws DomainError `output_exists`, `file`: none can be made there
 */
export async function writeWhole<Result>(
  path: string,
  work: (out: Writable) => Promise<Result>,
): Promise<Result> {
  refuseExisting(existsSync(path), path);
  const partial = `${path}.${randomBytes(4).toString('hex')}.partial`;
  const out = createWriteStream(partial, { flags: 'wx', mode: 0o600, flush: true });
  // An error is told by whoever waits for the file then; a write that is given up tells of itself to nobody.
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
    // Unlike a rename it never replaces a file.
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
