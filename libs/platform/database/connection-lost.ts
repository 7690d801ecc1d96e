import { DatabaseError } from 'pg';

/**
 * The connection was lost (SQLSTATE class 08) or ended because its transaction stood still (25P03); the server is out
 * of resources or stopping (53, 57P, 58); or it is a standby and takes no writes (25006), where another connection may
 * lead to the current primary.
 */
const SERVER_AWAY = /^(08|25006|25P03|53|57P|58)/;
/**
 * On a standby unlogged tables cannot even be read. PostgreSQL has no SQLSTATE of its own for that, but it says which of
 * its functions has refused.
 */
const isUnloggedOnStandby = ({ code, routine }: DatabaseError) =>
  code === '0A000' && routine === 'get_relation_info';
/** Messages of pg, without a code, for a connection that has ended or could not be made. */
export const CONNECTION_ENDED =
  /^(Connection (terminated|ended)|Client (has encountered|was closed)|timeout ex(ceeded|pired)|Query read timeout)/;

/** Node's error codes that concern a connection, and not a file. */
const UNREACHABLE = /^(ECONN[A-Z]+|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN)$/;
/**
 * PostgreSQL ended a statement for its time limit or that of its lock (SQLSTATE query_canceled, lock_not_available), or
 * its transaction because of another (deadlock_detected, serialization_failure).
 */
const CUT_SHORT = ['57014', '55P03', '40P01', '40001'];

/**
 * The server is starting or stopping, or has no connection left (SQLSTATE cannot_connect_now, too_many_connections);
 * and pg's messages for a server that does not answer.
 */
const NOT_CONNECTED = ['57P03', '53300'];
const NO_ANSWER = /^(timeout ex(ceeded|pired)|Connection terminated due to connection timeout)/;
/** Node's error codes for a connection that was never made. */
const NOBODY_THERE = /^(ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN)$/;

/** Whether no connection to a database could be made: then no statement of the caller can have brought it down. */
export function isUnreachable(error: unknown): boolean {
  const { code = '', message = '' } = error as NodeJS.ErrnoException;
  return NOT_CONNECTED.includes(code) || NOBODY_THERE.test(code) || NO_ANSWER.test(message);
}

/**
 * Whether a request failed because its database did not answer. An error with another code may be the fault of a file
 * or of the program.
 */
export function isOutage(error: unknown): boolean {
  if (error instanceof DatabaseError) return CUT_SHORT.includes(error.code ?? '') || isConnectionLost(error);
  const { code = '', message = '' } = (error ?? {}) as NodeJS.ErrnoException;
  return UNREACHABLE.test(code) || CONNECTION_ENDED.test(message);
}

/**
 * Whether work failed through no fault of its own: a database went away, did not answer, or gave up one of its
 * statements. The work may succeed later.
 */
export function isTransient(error: unknown): boolean {
  return isConnectionLost(error) || isOutage(error);
}

/** Whether a query failed because the database server went away or did not answer: it may succeed later. */
export function isConnectionLost(error: unknown): boolean {
  // A fatal error ended the session, or kept it from beginning: the server is away, or takes no connections.
  if (error instanceof DatabaseError)
    return error.severity === 'FATAL' || SERVER_AWAY.test(error.code ?? '') || isUnloggedOnStandby(error);
  const { code = '', message = '' } = error as NodeJS.ErrnoException;
  // Node's own errors begin with ERR_.
  return /^E(?!RR_)[A-Z_]+$/.test(code) || CONNECTION_ENDED.test(message);
}
