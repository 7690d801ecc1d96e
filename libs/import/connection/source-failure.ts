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

const CERTIFICATE = 'Have the server present a certificate that is';

const LOST: Entry = [
  'connection_lost',
  'The connection to the server broke off. Check that Server names the port of a SQL Server, and the network to it.',
  'lost',
];

const UNKNOWN_HOST: Entry = [
  'host_unknown',
  'The name of the server is not known. Check the spelling of Server.',
];
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
    `The certificate of the server has expired. ${CERTIFICATE} valid.`,
  ],
  CERT_NOT_YET_VALID: [
    'certificate_expired',
    `The certificate of the server is not valid yet. ${CERTIFICATE}.`,
  ],
  ERR_TLS_CERT_ALTNAME_INVALID: [
    'certificate_name',
    'The certificate is for another name than Server. Use that name, or say it by HostNameInCertificate.',
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
  18470: ['login_refused', 'The login of the user is disabled. Have it enabled.'],
  18486: ['login_refused', 'The login of the user is locked. Have it unlocked.'],
  18487: ['login_refused', 'The password of the user has expired. Give it another.'],
  18488: ['login_refused', 'The password of the user must be changed first. Give it another.'],
  40615: ['firewall', "The server's firewall does not let this service in. Add a rule for its address."],
  4060: ['database_missing', 'The database does not exist, or the user may not open it. Check Database.'],
  911: ['database_missing', 'The database does not exist. Check Database.'],
  916: ['database_missing', 'The user may not open the database. Make it a user of that.'],
  229: RIGHT,
  230: RIGHT,
  208: [
    'table_missing',
    'A table of the schema etl is missing, or the user may not see it. Make it, or grant SELECT.',
  ],
  207: [
    'column_missing',
    'A column of a table of the schema etl is missing. Make it by the script of the tables.',
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
    'The server sends connections on from one server to the next without end. Name the one that has the database as Server.',
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
    'The server sends more than an answer can hold. Check that Server names a SQL Server, and its port.',
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
      `The SQL Server refused to go on: its error ${numbers[0]}. Ask whoever runs it what that means.`,
    );
  // The innermost cause says what happened.
  const codes = causes.flatMap(({ code }) => (typeof code === 'string' ? [code] : [])).reverse();
  for (const code of codes) {
    if (byCode[code]) return new SourceFailure(...byCode[code]);
    if (OF_CERTIFICATES.test(code))
      return new SourceFailure(
        'certificate_unknown',
        `The certificate of the server is from nobody who is trusted. ${CERTIFICATE} from a known authority.`,
      );
    if (/^(EPROTO|ERR_SSL|ERR_TLS)/.test(code))
      return new SourceFailure(
        'tls_failed',
        'No encrypted connection could be agreed on with the server. Have it offer TLS 1.2 or later; Encrypt=strict needs SQL Server 2022.',
      );
  }
  if (codes.length > 0) return new SourceFailure(...LOST);
  return new SourceFailure(
    'source_failed',
    'The server gave an answer that is not understood. Check that Server names a SQL Server, and its port.',
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
