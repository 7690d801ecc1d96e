import { CommanderError } from 'commander';
import { DomainError } from '#kernel/errors';
import { ConfigError } from '#platform/config';
import { databaseRefusal, variableOf } from '#platform/database/database-refusal';
import { reasonOf } from '#platform/database/migrate';
import { SecretsError } from '#platform/secrets';

/** System error codes about files and the terminal. Others are about connections. */
const OF_FILES = /^E(ACCES|DQUOT|EXIST|FBIG|IO|ISDIR|NAMETOOLONG|NOENT|NOSPC|NOTDIR|NOTSUP|PERM|PIPE|ROFS)$/;

/** An error in one line for the operator, and as a stable code for scripts. */
function explain(error: unknown): { code: string; message: string } {
  if (error instanceof DomainError) return { code: error.code, message: error.detail };
  if (error instanceof ConfigError) return { code: 'configuration', message: error.problems.join('; ') };
  if (error instanceof SecretsError) return { code: 'secrets_key', message: error.message };
  if (error instanceof CommanderError) return { code: 'usage', message: usage(error) };
  const { code = '', message = String(error), syscall } = error as Partial<NodeJS.ErrnoException>;
  if (OF_FILES.test(code) && syscall !== 'connect') return { code: 'file', message };
  if (code === '42P01' || code === '3F000')
    return { code: 'not_migrated', message: 'The database has no tables yet: run the command migrate.' };
  // An undefined column: a command of a new release runs on tables that are not migrated yet.
  if (code === '42703')
    return {
      code: 'not_migrated',
      message: `The database's tables are not up to date (${message}): run the command migrate.`,
    };
  if (code === '42501')
    return {
      code: 'role_lacks_right',
      message: `The database's role lacks a right: ${reasonOf({ message })}`,
    };
  const refusal = databaseRefusal(error);
  if (refusal) return { code: 'database_unreachable', message: refusal };
  return { code: 'failed', message: message.split('\n')[0] };
}

/** Writes an error as one line; with --json as an object `{error: {code, message}}`. */
export function explainTo(err: (line: string) => void, error: unknown, json: boolean): void {
  const { code, message } = explain(error);
  const told = variableOf(error) + message;
  err(json ? JSON.stringify({ error: { code, message: told } }) : told);
}

function usage(error: CommanderError): string {
  if (error.code === 'commander.help') return 'Which command? See --help.';
  // Commander puts the suggestion of a similar name into a second line.
  return error.message.replace(/^error: /, '').replaceAll('\n', ' ');
}
