import { once } from 'node:events';
import type { BusboyFileStream, BusboyInstance } from '@fastify/busboy';
import { DomainError, malformed } from '#kernel/errors';
import { pointed } from '../json-pointer';
import { fileNameOf } from './file-name';
import { FormParser } from './form-parser';
import { requireText } from './json-body';

/** Limits of what a form may contain. */
const LIMITS = { fields: 20, fieldSize: 4096, files: 1, parts: 21, headerPairs: 20, headerSize: 8192 };

/** A file of a form. Its bytes must be read while the form is read. */
export interface FormFile {
  /** The client's name for the file, without folders; otherwise it may be anything. */
  fileName: string | undefined;
  /** The client's type for the file; `text/plain` when it gives none (RFC 7578, section 4.4). */
  contentType: string;
  bytes: AsyncIterable<Buffer>;
}

/**
 * Reads a `multipart/form-data` body, with its fields in any order, and keeps only some chunks in memory.
 * @param take reads the file; the form continues when it has done so
 * @returns the fields, each a text of at most 4 KiB
 * @throws DomainError `malformed_form`, `too_many_files`, `field_repeated`, `field_too_long` (400), `invalid_text`
 * (422), and the errors of `take` and `body`; only once `take` is done with the file
 * @see RFC 7578
 */
export async function readForm(
  body: AsyncIterable<Buffer>,
  contentType: string,
  take: (file: FormFile) => Promise<void>,
): Promise<Record<string, string>> {
  const form = parserFor(contentType);
  const fields = new Map<string, string>();
  let file: BusboyFileStream | undefined;
  let taken: Promise<void> | undefined;
  const ended = new Promise<void>((resolve, reject) => {
    form.on('field', (name, value, _nameCut, valueCut) => {
      try {
        if (name === undefined) throw malformed('malformed_form', 'A field of the form has no name.');
        if (valueCut) throw malformed('field_too_long', `${name} is longer than 4 KiB.`);
        if (fields.has(name)) throw malformed('field_repeated', `${name} occurs twice.`);
        requireText(value, `/${pointed(name)}`);
        requireUtf8(name, value);
        fields.set(name, value);
      } catch (refusal) {
        reject(refusal);
      }
    });
    form.on('file', (_name, stream, fileName, _encoding, type) => {
      file = stream;
      // The reader of the file gets the error by reading; without a listener it would end the process.
      stream.on('error', () => {});
      const named = fileNameOf(form.disposition, fileName);
      taken = take({ fileName: named, contentType: type, bytes: bytesOf(stream) });
      taken.catch(reject);
    });
    form.on('filesLimit', () =>
      reject(malformed('too_many_files', 'Only one file can be uploaded at a time.')),
    );
    for (const limit of ['fieldsLimit', 'partsLimit'] as const)
      form.on(limit, () => reject(malformed('malformed_form', 'The form has too many fields.')));
    form.on('error', () => reject(endedEarly()));
    form.on('finish', resolve);
  });
  const fed = feed(form, body, ended);
  try {
    await Promise.race([ended, fed.then(() => ended)]);
    await taken;
  } catch (error) {
    file?.destroy(error as Error);
    form.destroy();
    await Promise.allSettled([fed, taken]);
    throw error;
  }
  return Object.fromEntries(fields);
}

/** Writes the body into the form, no faster than the form is read, until the form fails. */
async function feed(form: BusboyInstance, body: AsyncIterable<Buffer>, ended: Promise<void>): Promise<void> {
  let failed = false;
  const failure = ended.catch(() => {
    failed = true;
  });
  for await (const chunk of body) {
    if (!failed && !form.write(chunk)) await Promise.race([once(form, 'drain'), failure]);
    if (failed) return;
  }
  form.end();
}

async function* bytesOf(stream: BusboyFileStream): AsyncGenerator<Buffer> {
  try {
    yield* stream;
  } catch (error) {
    throw error instanceof DomainError ? error : endedEarly();
  }
}

function parserFor(contentType: string): FormParser {
  try {
    const headers = { 'content-type': contentType };
    return new FormParser({ headers, preservePath: true, isPartAFile, limits: LIMITS });
  } catch {
    throw malformed('malformed_form', 'multipart/form-data needs a boundary.');
  }
}

/** A file need not have a name (RFC 7578, section 4.2), so the part named `file` is one without it too. */
function isPartAFile(name?: string, type?: string, fileName?: string): boolean {
  return name === 'file' || fileName !== undefined || type === 'application/octet-stream';
}

/**
 * Refuses a text in which the parser has put U+FFFD for bytes that it could not decode. Fields are checked as they
 * come; the name of a file is checked only where it is used, as a field may give another.
 * @throws DomainError `malformed_form` (400)
 */
export function requireUtf8(name: string, value: string): void {
  if (!value.includes('\ufffd')) return;
  const message = `${name} is not in UTF-8.`;
  const errors = [{ pointer: `/${pointed(name)}`, code: 'malformed_form', message }];
  throw new DomainError('malformed', 'malformed_form', message, errors);
}

function endedEarly(): DomainError {
  return malformed('malformed_form', 'The form is malformed, or ended early.');
}
