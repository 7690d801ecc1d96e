import { DatabaseError } from 'pg';

/**
 * Connection lost (SQLSTATE class 08), given up as its transaction stood still (25P03), server out of resources or stopping
 * (53, 57P, 58); or it takes no writes (25006): a standby, where another connection may lead to what is the primary now.
 */
const SERVER_AWAY = /^(08|25006|25P03|53|57P|58)/;
/** What pg says, without a code, of a connection that has ended or could not be made. */
export const CONNECTION_ENDED =
  /^(Connection (terminated|ended)|Client (has encountered|was closed)|timeout ex(ceeded|pired)|Query read timeout)/;

/** Codes of Node's that tell of a connection, and not of a file. */
const UNREACHABLE = /^(ECONN[A-Z]+|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN)$/;
/**
 * A statement was ended for its time, or for that of its wait (SQLSTATE query_canceled, lock_not_available), or its transaction
 * for the sake of another (deadlock_detected, serialization_failure).
 */
const CUT_SHORT = ['57014', '55P03', '40P01', '40001'];

/** A server that starts or stops, or has no connection left (SQLSTATE cannot_connect_now, too_many_connections), and what pg says of one that does not answer. */
const NOT_CONNECTED = ['57P03', '53300'];
const NO_ANSWER = /^(timeout ex(ceeded|pired)|Connection terminated due to connection timeout)/;
/** Codes of Node's of a connection that was never made. */
const NOBODY_THERE = /^(ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN)$/;

/** Whether no connection to a database could be made: nothing was asked of it that may have brought it down. */
export function isUnreachable(error: unknown): boolean {
  const { code = '', message = '' } = error as NodeJS.ErrnoException;
  return NOT_CONNECTED.includes(code) || NOBODY_THERE.test(code) || NO_ANSWER.test(message);
}

/** Whether a request failed because its database did not answer it: with another cause the same may be a file's or a program's fault. */
export function isOutage(error: unknown): boolean {
  if (error instanceof DatabaseError) return CUT_SHORT.includes(error.code ?? '') || isConnectionLost(error);
  const { code = '', message = '' } = (error ?? {}) as NodeJS.ErrnoException;
  return UNREACHABLE.test(code) || CONNECTION_ENDED.test(message);
}

/** Whether work failed for no fault of its own: a database went away, did not answer it, or gave a statement of it up. It may succeed later. */
export function isTransient(error: unknown): boolean {
  return isConnectionLost(error) || isOutage(error);
}

/** Whether a database query failed because its server went away or did not answer: the same may succeed later. */
export function isConnectionLost(error: unknown): boolean {
  // What is fatal ended the session, or kept it from beginning: the database is not there, or takes no connections.
  if (error instanceof DatabaseError) return error.severity === 'FATAL' || SERVER_AWAY.test(error.code ?? '');
  const { code = '', message = '' } = error as NodeJS.ErrnoException;
  // Node's own errors begin with ERR_.
  return /^E(?!RR_)[A-Z_]+$/.test(code) || CONNECTION_ENDED.test(message);
}
