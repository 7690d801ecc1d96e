import { DomainError } from '#kernel/errors';
import { ConfigError } from '../config';
import { databaseRefusal, variableOf } from '../database/database-refusal';
import { MigrationError, reasonOf } from '../database/migrate';
import { SecretsError } from '../secrets';

/**
 * The reason why a process cannot start, in one line for its operator; undefined when it is nothing that they could
 * mend.
 */
export function startupProblem(error: unknown): string | undefined {
  const problem = problemOf(error);
  return problem && variableOf(error) + problem;
}

function problemOf(error: unknown): string | undefined {
  if (error instanceof DomainError) return error.detail;
  if (error instanceof ConfigError) return error.message;
  if (error instanceof SecretsError) return error.message;
  if (error instanceof MigrationError) return error.message;
  const {
    code = '',
    message = '',
    syscall,
    address,
    port,
  } = error as NodeJS.ErrnoException & { address?: string; port?: number };
  if (code === 'EADDRINUSE')
    return `Port ${port} of ${address} is taken: stop what listens there, or set PORT`;
  if (code === 'EACCES' && port) return `Port ${port} may not be used by this user: set PORT`;
  if (syscall === 'listen') return `HOST ${address} cannot be listened on (${code}): is it this machine's?`;
  if (code === '42501') return `The database's role lacks a right: ${reasonOf(error)}`;
  if (code === '57014') return `The database does not answer in time: ${message}`;
  if (syscall === 'open') return `A file cannot be read: ${message}`;
  return databaseRefusal(error);
}
