import { readFile } from 'node:fs/promises';
import { Command } from 'commander';
import { invalid } from '#kernel/errors';
import { isId } from '#kernel/ids';
import { type Erased, ErasedEntities } from '#practice/entities/entity.erasures';
import type { Session } from './session';

export function subjectsCommand(session: Session): Command {
  const subjects = new Command('subjects').description('people whose data was erased');

  subjects
    .command('erasures')
    .description('who was erased, when: keep it apart from the backups, for replay-erasures')
    .action(async () => {
      session.print(await session.use(ErasedEntities, (entities) => entities.list()));
    });

  subjects
    .command('replay-erasures')
    .description(
      'erases again, after a backup was restored: whose erasure is found in the store, and with --from who was erased ' +
        'since the backup. Before the service starts, after store new-epoch where that is needed',
    )
    .option('--from <file>', 'what `subjects erasures --json` printed')
    .action(async ({ from }: { from?: string }) => {
      const erased = from === undefined ? [] : await readErased(from);
      session.print(await session.use(ErasedEntities, (entities) => entities.replay(erased)));
    });
  return subjects;
}

/** @throws DomainError erasures_invalid */
async function readErased(file: string): Promise<Erased[]> {
  const refused = (why: string) => invalid('erasures_invalid', `${file} ${why}.`);
  const text = await readFile(file, 'utf8').catch((error: Error) => {
    throw refused(`cannot be read: ${error.message}`);
  });
  let erased: unknown;
  try {
    erased = JSON.parse(text);
  } catch {
    throw refused('is not JSON');
  }
  if (!Array.isArray(erased) || !erased.every(isErased))
    throw refused('is not what `subjects erasures --json` prints');
  return erased;
}

function isErased(value: unknown): value is Erased {
  const { tenant, subject, on } = (value ?? {}) as Partial<Erased>;
  return (
    typeof tenant === 'string' &&
    isId('entity', subject) &&
    typeof on === 'string' &&
    !Number.isNaN(Date.parse(on))
  );
}
