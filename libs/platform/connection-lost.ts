import { DatabaseError } from 'pg';

/** Connection lost (SQLSTATE class 08), server out of resources or stopping (53, 57P, 58). */
const SERVER_AWAY = /^(08|53|57P|58)/;
/** What pg says, without a code, of a connection that has ended or could not be made. */
const CONNECTION_ENDED =
  /^(Connection (terminated|ended)|Client (has encountered|was closed)|timeout ex(ceeded|pired))/;

/** Whether a database query failed because its server went away or did not answer: the same may succeed later. */
export function isConnectionLost(error: unknown): boolean {
  if (error instanceof DatabaseError) return SERVER_AWAY.test(error.code ?? '');
  const { code = '', message = '' } = error as NodeJS.ErrnoException;
  // Node's own errors begin with ERR_.
  return /^E(?!RR_)[A-Z_]+$/.test(code) || CONNECTION_ENDED.test(message);
}
