import { Command, CommanderError } from 'commander';
import { auditCommand } from './commands/audit';
import { demoCommand } from './commands/demo';
import { documentsCommand } from './commands/documents';
import { explainTo } from './commands/explain';
import { importCommand } from './commands/imports';
import { integrationsCommand } from './commands/integrations';
import { keysCommand } from './commands/keys';
import { migrateCommand } from './commands/migrate';
import { projectionsCommand } from './commands/projections';
import { reportsCommand } from './commands/reports';
import { secretsCommand } from './commands/secrets';
import { storeCommand } from './commands/store';
import { streamsCommand } from './commands/streams';
import { subjectsCommand } from './commands/subjects';
import { tenantsCommand } from './commands/tenants';
import { webhooksCommand } from './commands/webhooks';
import type { Session, Terminal } from './session';
import { openSession } from './session';

/**
 * Runs one of the operator's commands.
 * @param args the arguments after the names of node and the script
 * @returns the exit code: 0; 1 after an answer that reports faults; or 1 after an error, which is one line (with --json an
 *   object `{error: {code, message}}`) on `err`
 */
export async function run(args: string[], terminal: Terminal): Promise<number> {
  const json = args.includes('--json');
  try {
    const session = openSession(terminal, json);
    await program(session, terminal).parseAsync(args, { from: 'user' });
    return session.exitCode;
  } catch (error) {
    // Commander throws after it has printed help that was asked for.
    if (error instanceof CommanderError && error.exitCode === 0) return 0;
    explainTo(terminal.err, error, json);
    return 1;
  }
}

function program(session: Session, terminal: Terminal): Command {
  const root = new Command('cli')
    .description("The operator's commands. The database is DATABASE_URL, or that of a running `npm start`.")
    .option('--json', 'print JSON');
  const commands = [
    tenantsCommand,
    integrationsCommand,
    keysCommand,
    secretsCommand,
    projectionsCommand,
    reportsCommand,
    streamsCommand,
    documentsCommand,
    storeCommand,
    migrateCommand,
    auditCommand,
    subjectsCommand,
    webhooksCommand,
    importCommand,
    demoCommand,
  ];
  for (const make of commands) root.addCommand(make(session));
  for (const command of everyCommandOf(root)) {
    command.exitOverride();
    command.configureOutput({
      writeOut: (text) => terminal.out(text.trimEnd()),
      // Commander also prints the help for a missing command; run() prints one line instead.
      writeErr: () => undefined,
    });
  }
  return root;
}

function everyCommandOf(command: Command): Command[] {
  return [command, ...command.commands.flatMap(everyCommandOf)];
}
