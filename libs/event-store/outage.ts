import { DatabaseError } from 'pg';
import { DomainError } from '#kernel/errors';
import { isConnectionLost } from '#platform/database/connection-lost';

function isOutage(error: unknown): boolean {
  // Class 57: the server ended the statement.
  if (error instanceof DatabaseError) return error.code?.startsWith('57') || isConnectionLost(error);
  // Any error that is neither a domain error nor a bug comes from the connection.
  return !(error instanceof DomainError || error instanceof TypeError || error instanceof RangeError);
}

export function storeUnavailable(message: string): DomainError {
  return new DomainError('unavailable', 'store_unavailable', message, [], { 'Retry-After': '1' });
}

/**
 * Runs a query against the store.
 * @param outcome message that tells the client what is known of its request when the store does not answer
 * @param undone the same when the server answers that it cannot carry out the statement: its transaction is undone then
 * @throws DomainError `store_unavailable` when the store fails, otherwise the database's error
 */
export async function fromStore<Result>(
  query: () => Promise<Result>,
  outcome: string,
  undone = outcome,
): Promise<Result> {
  try {
    return await query();
  } catch (cause) {
    if (!isOutage(cause)) throw cause;
    const isUndone = cause instanceof DatabaseError && cause.severity === 'ERROR';
    throw Object.assign(storeUnavailable(isUndone ? undone : outcome), { cause });
  }
}
