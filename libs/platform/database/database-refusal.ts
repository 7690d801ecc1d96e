import { DatabaseError } from 'pg';
import { CONNECTION_ENDED } from './connection-lost';
import { reasonOf } from './migrate';

/** Refused, unknown or slow hosts, and the server's own refusals: password, database, too many connections, shutting down. */
const REFUSED =
  /^(ECONN|EPIPE|ENOTFOUND|EAI_|ETIMEDOUT|EHOST|ENETUNREACH|28...$|3D000$|53...$|57P..$|08...$)/;
/** What Node says of a certificate that it does not accept, and of a server that speaks TLS in no way that it knows. */
const TLS =
  /^(DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_|CERT_|ERR_TLS_|ERR_SSL_|EPROTO)/;
/** What pg says, without a code, of a server that speaks no TLS. */
const NO_TLS = /^The server does not support SSL|^There was an error establishing an SSL/;
/** PostgreSQL's read_only_sql_transaction. */
const READ_ONLY = '25006';
const NO_PASSWORD = /^SASL: .*client password must be/;

/** Of two databases, what goes wrong with one is told with the variable that names it. */
export function toldOf<Result>(variable: string, work: Promise<Result>): Promise<Result> {
  return work.catch((error: object) => {
    throw Object.assign(error, { variable });
  });
}

/** `<variable>: ` of an error that was told of one, else nothing. */
export function variableOf(error: unknown): string {
  const { variable } = error as { variable?: string };
  return variable ? `${variable}: ` : '';
}

/** Why no connection to a database can be made, or nothing be written there, in a line; undefined when an error tells of something else. */
export function databaseRefusal(error: unknown): string | undefined {
  const { code = '', message: whole = '', syscall } = error as NodeJS.ErrnoException;
  const message = reasonOf({ message: whole });
  if (NO_PASSWORD.test(message))
    return 'The database does not answer: it wants a password, and its address has none';
  if (code === READ_ONLY) return `The database takes no writes, as a standby does not: ${message}`;
  const isFatal = error instanceof DatabaseError && error.severity === 'FATAL';
  const isSaid = CONNECTION_ENDED.test(message) || NO_TLS.test(message);
  if (isFatal || syscall === 'connect' || REFUSED.test(code) || TLS.test(code) || isSaid)
    return `The database does not answer: ${message || code}`;
  return undefined;
}
