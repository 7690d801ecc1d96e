import { DatabaseError } from 'pg';
import { CONNECTION_ENDED } from './connection-lost';
import { reasonOf } from './migrate';

/**
 * Codes of hosts that refuse, are unknown or are slow, and of the server's own refusals: password, database, too many
 * connections, shutting down.
 */
const REFUSED =
  /^(ECONN|EPIPE|ENOTFOUND|EAI_|ETIMEDOUT|EHOST|ENETUNREACH|28...$|3D000$|53...$|57P..$|08...$)/;
/** Node's codes for a certificate that it does not accept, and for a server whose TLS it does not understand. */
const TLS =
  /^(DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_|CERT_|ERR_TLS_|ERR_SSL_|EPROTO)/;
/** pg's messages, without a code, about a server that has no TLS. */
const NO_TLS = /^The server does not support SSL|^There was an error establishing an SSL/;
/** PostgreSQL's read_only_sql_transaction. */
const READ_ONLY = '25006';
const NO_PASSWORD = /^SASL: .*client password must be/;

/** Adds to an error the environment variable that names its database, as there are two. */
export function toldOf<Result>(variable: string, work: Promise<Result>): Promise<Result> {
  return work.catch((error: object) => {
    throw Object.assign(error, { variable });
  });
}

/** `<variable>: ` if the error names a variable, else an empty text. */
export function variableOf(error: unknown): string {
  const { variable } = error as { variable?: string };
  return variable ? `${variable}: ` : '';
}

/**
 * The reason why no connection to a database can be made, or nothing can be written there, in one line; undefined when
 * the error has another cause.
 */
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
