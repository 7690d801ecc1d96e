import { readFile } from 'node:fs/promises';
import { invalid } from '#kernel/errors';

/**
 * Reads a list that a command printed with --json earlier, and that the operator kept as a file.
 * @param from the command that printed the list, and the code of the error when the file contains something else
 * @throws DomainError with that code
 */
export async function readKept<Kept>(
  file: string,
  from: { command: string; code: string },
  isKept: (value: unknown) => value is Kept,
): Promise<Kept[]> {
  const refused = (why: string) => invalid(from.code, `${file} ${why}.`);
  const text = await readFile(file, 'utf8').catch((error: Error) => {
    throw refused(`cannot be read: ${error.message}`);
  });
  let kept: unknown;
  try {
    kept = JSON.parse(text.replace(/^\uFEFF/, '')); // a byte order mark, as Windows programs write it
  } catch {
    throw refused('is not JSON in UTF-8; without -s (npm run -s cli) npm adds lines of its own');
  }
  if (!Array.isArray(kept) || !kept.every(isKept))
    throw refused(`is not what \`${from.command} --json\` prints`);
  return kept;
}
