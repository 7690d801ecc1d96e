import { DatabaseError } from 'pg';
import { DomainError } from '#kernel/errors';
import { isConnectionLost } from '#platform/database/connection-lost';

function isOutage(error: unknown): boolean {
  // Class 57: a statement was ended.
  if (error instanceof DatabaseError) return error.code?.startsWith('57') || isConnectionLost(error);
  // What is neither our answer nor our mistake comes from the connection.
  return !(error instanceof DomainError || error instanceof TypeError || error instanceof RangeError);
}

/**
 * Runs a query of the store.
 * @param outcome what a client may think of its request when the store does not answer
 * @throws DomainError `store_unavailable` when the failure is the store's, else the database's error
 */
export async function fromStore<Result>(query: () => Promise<Result>, outcome: string): Promise<Result> {
  try {
    return await query();
  } catch (cause) {
    if (!isOutage(cause)) throw cause;
    const unavailable = new DomainError('unavailable', 'store_unavailable', outcome, [], {
      'Retry-After': '1',
    });
    throw Object.assign(unavailable, { cause });
  }
}
