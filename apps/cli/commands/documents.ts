import { Command } from 'commander';
import { DocumentVerifier } from '#practice/documents/document.verifier';
import type { Session } from '../session';

export function documentsCommand(session: Session): Command {
  const documents = new Command('documents').description("the documents' bytes, in DOCUMENTS_DIR");

  documents
    .command('verify')
    .description(
      'proves that the bytes of every version of every document are stored, and have their size: a line for each that ' +
        'differs, then the figures; exit code 1 when one does. With --json an object a line',
    )
    .option('--tenant <alias>', 'only this tenant')
    .option('--digests', 'reads the bytes, too, and compares their SHA-256')
    .action(async (options: { tenant?: string; digests?: boolean }) => {
      const verified = await session.use(DocumentVerifier, (verifier) =>
        verifier.verify(options, (finding) => {
          const { tenant, document, version, key, what } = finding;
          session.line(finding, `${tenant}  ${document}  version ${version}  ${key}  ${what}`);
        }),
      );
      (verified.differences === 0 ? session.print : session.found)(verified);
    });
  return documents;
}
