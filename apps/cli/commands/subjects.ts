import { Command } from 'commander';
import { isId } from '#kernel/ids';
import { type Erased, ErasedEntities } from '#practice/entities/entity.erasures';
import type { Session } from '../session';
import { readKept } from './kept-answers';

const ERASURES = { command: 'subjects erasures', code: 'erasures_invalid' };

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
        'since the backup. Before the service starts, after store new-epoch where that is needed; exit code 1 when some ' +
        'wait until an import has been promoted',
    )
    .option('--from <file>', 'what `subjects erasures --json` printed')
    .action(async ({ from }: { from?: string }) => {
      const erased = from === undefined ? [] : await readKept(from, ERASURES, isErased);
      const replayed = await session.use(ErasedEntities, (entities) => entities.replay(erased));
      (replayed.waiting === 0 ? session.print : session.found)(replayed);
    });
  return subjects;
}

function isErased(value: unknown): value is Erased {
  const { tenant, subject, on } = (value ?? {}) as Partial<Erased>;
  return typeof tenant === 'string' && isId('entity', subject) && isPast(on);
}

/** Whether a value is an instant as erasures record it, in UTC with milliseconds, and not in the future. */
function isPast(value: unknown): boolean {
  if (typeof value !== 'string' || !/^\d{4}-/.test(value)) return false;
  const at = new Date(value);
  return at <= new Date() && at.toISOString() === value;
}
