/**
 * `lasting`: the customer must do something; `busy`: the server, or its name server, asks to try again later; `lost`: the
 * connection broke.
 */
type Kind = 'lasting' | 'busy' | 'lost';

/** The source cannot be read. The message tells the customer what failed and what to do; it quotes no setting. */
export class SourceFailure extends Error {
  constructor(
    readonly code: string,
    message: string,
    readonly kind: Kind = 'lasting',
  ) {
    super(message);
  }
}

type Entry = [code: string, message: string, kind?: Kind];

const LOST: Entry = [
  'connection_lost',
  'The connection to the server was lost. Check the network, and that Server has the port of a SQL Server.',
  'lost',
];

const UNKNOWN_HOST: Entry = ['host_unknown', 'No host has the name that Server gives. Check its spelling.'];
const UNREACHABLE: Entry = [
  'unreachable',
  'The server cannot be reached. Check its address and its network.',
  'lost',
];
const TIMED_OUT: Entry = [
  'timed_out',
  'The server did not answer in time. Check its address, port and firewall.',
  'lost',
];
const LOGIN: Entry = ['login_refused', 'The server refused the login. Check User ID and Password.'];

/** By the error codes of Node and of the driver. `ESOCKET` is missing: with it the driver wraps the errors of Node. */
const byCode: Record<string, Entry> = {
  ENOTFOUND: UNKNOWN_HOST,
  EAI_AGAIN: [
    'host_not_resolved',
    'The name of the server cannot be looked up at the moment. Try again later.',
    'busy',
  ],
  ENODATA: UNKNOWN_HOST,
  ECONNREFUSED: [
    'connection_refused',
    'The server refused the connection. Check that it is running, its port, and its firewall.',
    'lost',
  ],
  EHOSTUNREACH: UNREACHABLE,
  ENETUNREACH: UNREACHABLE,
  ETIMEDOUT: TIMED_OUT,
  ETIMEOUT: TIMED_OUT,
  CERT_HAS_EXPIRED: [
    'certificate_expired',
    'The certificate of the server has expired. Install a valid one on the server.',
  ],
  CERT_NOT_YET_VALID: [
    'certificate_expired',
    'The certificate of the server is not valid yet. Install a valid one on the server, and check its clock.',
  ],
  ERR_TLS_CERT_ALTNAME_INVALID: [
    'certificate_name',
    'The certificate of the server is for another host name than that in Server. Use the name of the certificate in ' +
      'Server, or set HostNameInCertificate to it.',
  ],
  ECONNRESET: LOST,
  EPIPE: LOST,
  ECONNCLOSED: LOST,
  ENOCONN: LOST,
  ENOTOPEN: LOST,
  ELOGIN: LOGIN,
};

const BUSY: Entry = ['server_busy', 'The server is not ready at the moment. Try again later.', 'busy'];
const RIGHT: Entry = [
  'permission_denied',
  'The user may not read the tables. Grant it SELECT on the schema etl.',
];

/** By the error numbers of SQL Server. @see https://learn.microsoft.com/sql/relational-databases/errors-events */
const byNumber: Record<number, Entry> = {
  18456: LOGIN,
  18452: LOGIN,
  18470: ['login_refused', 'The login of the user is disabled. Enable it on the server.'],
  18486: ['login_refused', 'The login of the user is locked. Unlock it on the server.'],
  18487: [
    'login_refused',
    'The password of the user has expired. Set a new one on the server, and use that.',
  ],
  18488: [
    'login_refused',
    'The password of the user must be changed before the first login. Set a new one on the server, and use that.',
  ],
  40615: [
    'firewall',
    'The firewall of the server does not let this service in. Add a rule for the address of this service.',
  ],
  4060: ['database_missing', 'The database does not exist, or the user may not open it. Check Database.'],
  911: ['database_missing', 'The database does not exist. Check Database.'],
  916: [
    'database_missing',
    'The login may not open the database. Create a user for the login in the database.',
  ],
  229: RIGHT,
  230: RIGHT,
  208: [
    'table_missing',
    'A table of the schema etl is missing, or the user may not see it. Create it with the script of the tables, or ' +
      'grant the user SELECT on the schema etl.',
  ],
  207: [
    'column_missing',
    'A column of a table of the schema etl is missing. Add it as in the script of the tables.',
  ],
  1205: BUSY,
  ...Object.fromEntries(
    [
      40613, 40197, 40501, 40143, 40540, 49918, 49919, 49920, 10928, 10929, 4221, 615, 983, 3960, 701, 802,
      8645, 8651, 17142, 18401,
    ].map((number) => [number, BUSY]),
  ),
  ...Object.fromEntries([10053, 10054, 10060, 233, 64, 121, 596].map((number) => [number, LOST])),
};

const OF_CERTIFICATES =
  /CERT|SELF_SIGNED|UNABLE_TO_GET_ISSUER|UNABLE_TO_VERIFY|INVALID_CA|PATH_LENGTH|INVALID_PURPOSE|HOSTNAME_MISMATCH/;

export function sentInCircles(): SourceFailure {
  return new SourceFailure(
    'sent_in_circles',
    'The servers redirect the connection from one to the next without end. Set Server to the one that has the ' +
      'database.',
  );
}

export function stalled(): SourceFailure {
  return new SourceFailure(
    'stalled',
    'The server stopped answering. Check its load and its network.',
    'lost',
  );
}

export function tooMuch(): SourceFailure {
  return new SourceFailure(
    'too_much',
    'The server sent a larger answer than can be read. Check that Server has the address and the port of a SQL ' +
      'Server.',
  );
}

interface Told {
  code?: unknown;
  number?: unknown;
  originalError?: unknown;
  cause?: unknown;
  errors?: unknown;
  info?: unknown;
}

/** Explains a driver's error to the customer. The driver's own message is not repeated. */
export function failureOf(error: unknown): SourceFailure {
  const causes = causesOf(error);
  const own = causes.find((cause) => cause instanceof SourceFailure);
  if (own) return own as SourceFailure;
  const numbers = causes.flatMap(({ number }) => (typeof number === 'number' && number > 0 ? [number] : []));
  for (const number of numbers) if (byNumber[number]) return new SourceFailure(...byNumber[number]);
  if (numbers.length > 0)
    return new SourceFailure(
      'server_error',
      `The SQL Server reported its error ${numbers[0]}. Ask the administrator of the server what that means.`,
    );
  // The innermost cause says what happened.
  const codes = causes.flatMap(({ code }) => (typeof code === 'string' ? [code] : [])).reverse();
  for (const code of codes) {
    if (byCode[code]) return new SourceFailure(...byCode[code]);
    if (OF_CERTIFICATES.test(code))
      return new SourceFailure(
        'certificate_unknown',
        'The certificate of the server was not issued by a trusted authority. Install one on the server that was.',
      );
    if (/^(EPROTO|ERR_SSL|ERR_TLS)/.test(code))
      return new SourceFailure(
        'tls_failed',
        'The server and this service could not agree on an encrypted connection. Enable TLS 1.2 or later on the server. ' +
          'Encrypt=strict needs SQL Server 2022.',
      );
  }
  if (codes.length > 0) return new SourceFailure(...LOST);
  return new SourceFailure(
    'source_failed',
    'The server gave an answer that is not that of a SQL Server. Check that Server has the address and the port of a ' +
      'SQL Server.',
  );
}

/** An error and its causes, the outermost first. */
function causesOf(error: unknown, seen = new Set<unknown>()): Told[] {
  if (typeof error !== 'object' || error === null || seen.has(error)) return [];
  seen.add(error);
  const { originalError, cause, errors, info } = error as Told;
  const inner = [originalError, cause, info, ...(Array.isArray(errors) ? errors : [])];
  return [error as Told, ...inner.flatMap((each) => causesOf(each, seen))];
}
