import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { Command } from 'commander';
import type { ImportView } from '#import/api/import.views';
import { OperatorImports } from '#import/operator-imports';
import { invalid } from '#kernel/errors';
import { isTransient } from '#platform/database/connection-lost';
import { ImportProgress } from '../import-progress';
import type { Session } from '../session';

const LOOK_EVERY_MS = 500;

export function importCommand(session: Session): Command {
  const command = new Command('import').description('data of a firm from its SQL Server');
  for (const add of [addRun, addPromote, addStatus, addCancel]) add(command, session);
  return command;
}

function addRun(command: Command, session: Session): void {
  command
    .command('run')
    .description(
      'imports into a staging tenant, by a worker that runs, and waits for the end: exit code 1 and what was found ' +
        'when it did not go well. Ctrl-C leaves it to the worker',
    )
    .requiredOption('--tenant <alias>', 'whose data it is')
    .option(
      '--connection <string>',
      "ADO.NET's connection string; - reads it from the standard input. Default: IMPORT_CONNECTION, which no list of processes shows",
    )
    .action(async ({ tenant, connection }: { tenant: string; connection?: string }) => {
      const given = connection === '-' ? (await text(process.stdin)).trim() : connection;
      const string = given ?? (await session.config()).IMPORT_CONNECTION;
      if (!string) throw invalid('usage', 'Which source? Give --connection, or set IMPORT_CONNECTION.');
      await session.use(OperatorImports, async (imports) => {
        const id = await imports.queue(tenant, string);
        const view = await watch(session, () => imports.status(tenant, id));
        await tell(session, imports, view);
      });
    });
}

function addPromote(command: Command, session: Session): void {
  command
    .command('promote')
    .description(
      'brings an import that was found valid to its tenant, by a worker that runs, and waits for the end: exit code 1 ' +
        'when nothing came. Ctrl-C leaves it to the worker',
    )
    .argument('[requestId]', "default: the tenant's that can be")
    .requiredOption('--tenant <alias>')
    .action(async (requestId: string | undefined, { tenant }: { tenant: string }) => {
      await session.use(OperatorImports, async (imports) => {
        const id = await imports.promote(tenant, requestId);
        await tell(session, imports, await watch(session, () => imports.status(tenant, id)));
      });
    });
}

function addStatus(command: Command, session: Session): void {
  command
    .command('status')
    .description('how an import fares, and what was found; exit code 1 when it has ended otherwise than well')
    .argument('[requestId]', "default: the tenant's that is under way, otherwise the one that changed last")
    .requiredOption('--tenant <alias>')
    .action(async (requestId: string | undefined, { tenant }: { tenant: string }) => {
      await session.use(OperatorImports, async (imports) =>
        tell(session, imports, await imports.status(tenant, requestId)),
      );
    });
}

function addCancel(command: Command, session: Session): void {
  command
    .command('cancel')
    .description('ends an import that is not promoted')
    .argument(
      '[requestId]',
      "default: the tenant's that is under way, otherwise the one that can be promoted",
    )
    .requiredOption('--tenant <alias>')
    .action(async (requestId: string | undefined, { tenant }: { tenant: string }) => {
      const { message, requestId: id } = await session.use(OperatorImports, (imports) =>
        imports.cancel(tenant, requestId),
      );
      session.print({ requestId: id, message });
    });
}

/**
 * Shows the progress of an import until it has ended. It waits for a database that goes away meanwhile, as the import does:
 * an exit code 1 would say that the import has failed.
 */
async function watch(session: Session, look: () => Promise<ImportView>): Promise<ImportView> {
  const progress = new ImportProgress(session);
  try {
    for (;;) {
      const view = await look().catch((error) => {
        if (!isTransient(error)) throw error;
      });
      if (view) progress.show(view);
      else progress.waitForDatabase();
      if (view?.finishedAt) return view;
      await delay(LOOK_EVERY_MS);
    }
  } finally {
    progress.end();
  }
}

/** Prints an import's state and, for people, its findings by kind. A failed import ends the command with exit code 1. */
async function tell(session: Session, imports: OperatorImports, view: ImportView): Promise<void> {
  const findings = await imports.findings(view.requestId);
  const { success: _, ...answer } = view;
  const { requestId, status, message, stagingTenant } = view;
  const forPeople = [
    { requestId, status, message, stagingTenant },
    ...(findings.length > 0 ? [findings] : []),
  ];
  const isWrong = ['ValidationFailed', 'Failed', 'Cancelled', 'PromotionFailed'].includes(status);
  (isWrong ? session.found : session.print)({ ...answer, findings }, ...forPeople);
}
