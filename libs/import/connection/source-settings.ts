import { isIPv6 } from 'node:net';
import { domainToASCII } from 'node:url';
import { parseUrl } from '#platform/net/parse-url';
import { refusedString, splitConnectionString } from './connection-string';
import type { SourceHosts } from './source-hosts';

/** The settings of a connection to a customer's database. */
export interface SourceSettings {
  host: string;
  port: number;
  /** Absent: the login's default database. */
  database?: string;
  user: string;
  password: string;
  /** `strict`: TLS from the first byte (TDS 8.0). */
  encrypt: boolean | 'strict';
  /** The name that the certificate must have, if it differs from the host. */
  certificateName?: string;
  connectMs: number;
  applicationName: string;
  isReadOnly: boolean;
}

const LONGEST_CONNECT_S = 60;

/** The accepted settings by name, in lower case without spaces. ADO.NET has several names for some of them. */
const meanings: Record<string, keyof typeof readers | 'none'> = {
  server: 'server',
  datasource: 'server',
  address: 'server',
  addr: 'server',
  networkaddress: 'server',
  database: 'database',
  initialcatalog: 'database',
  userid: 'user',
  uid: 'user',
  user: 'user',
  password: 'password',
  pwd: 'password',
  encrypt: 'encrypt',
  trustservercertificate: 'trust',
  integratedsecurity: 'integrated',
  trusted_connection: 'integrated',
  authentication: 'authentication',
  hostnameincertificate: 'certificateName',
  connecttimeout: 'connectTimeout',
  connectiontimeout: 'connectTimeout',
  timeout: 'connectTimeout',
  applicationname: 'applicationName',
  app: 'applicationName',
  applicationintent: 'intent',
  // Has no effect, as every address of the host is tried anyway.
  multisubnetfailover: 'none',
  // Contained in the strings that portals and tools supply. They have no effect for a client that reads once.
  persistsecurityinfo: 'none',
  multipleactiveresultsets: 'none',
  pooling: 'none',
  maxpoolsize: 'none',
  minpoolsize: 'none',
  commandtimeout: 'none',
  connectretrycount: 'none',
  connectretryinterval: 'none',
  workstationid: 'none',
  wsid: 'none',
  packetsize: 'none',
};

type Given = Partial<SourceSettings>;

const readers = {
  server: (value: string): Given => readServer(value),
  database: (database: string): Given => ({ database }),
  user: (user: string): Given => ({ user }),
  password: (password: string): Given => ({ password }),
  encrypt(value: string, name: string): Given {
    if (/^strict$/i.test(value)) return { encrypt: 'strict' };
    if (/^(true|yes|mandatory)$/i.test(value)) return { encrypt: true };
    if (/^(false|no|optional)$/i.test(value)) return { encrypt: false };
    throw refusedString(`${name} must be true or strict.`);
  },
  trust(value: string, name: string): Given {
    if (/^(false|no)$/i.test(value)) return {};
    throw refusedString(`${name} may only be false: the certificate of the server is always checked.`);
  },
  integrated(value: string, name: string): Given {
    if (/^(false|no)$/i.test(value)) return {};
    throw refusedString(`${name} may only be false: the login must be by User ID and Password.`);
  },
  authentication(value: string, name: string): Given {
    if (/^sql ?password$/i.test(value)) return {};
    throw refusedString(`${name} may only be SqlPassword: the login must be by User ID and Password.`);
  },
  certificateName(value: string, name: string): Given {
    const certificateName = domainToASCII(value);
    if (!certificateName) throw refusedString(`${name} must be the name of a host.`);
    return { certificateName };
  },
  connectTimeout(value: string, name: string): Given {
    const seconds = /^\d{1,5}$/.test(value) ? Number(value) : 0;
    if (seconds < 1) throw refusedString(`${name} must be a whole number of seconds, 1 or more.`);
    return { connectMs: Math.min(seconds, LONGEST_CONNECT_S) * 1000 };
  },
  applicationName: (value: string): Given => (value ? { applicationName: value.slice(0, 128) } : {}),
  intent(value: string, name: string): Given {
    if (/^readonly$/i.test(value)) return { isReadOnly: true };
    if (/^readwrite$/i.test(value)) return { isReadOnly: false };
    throw refusedString(`${name} must be ReadOnly or ReadWrite.`);
  },
};

const defaults = {
  encrypt: true,
  connectMs: 15_000,
  applicationName: 'practice-management-import',
  isReadOnly: false,
};

/**
 * Reads the settings of a connection string. Only the settings above are accepted: no integrated security, no attached file,
 * no trust in unverified certificates.
 * @throws DomainError `invalid_connection_string`, `host_not_allowed`; the details name settings, never values
 */
export function readSettings(text: string, hosts: SourceHosts): SourceSettings {
  const given: Given = {};
  for (const [index, { name, value }] of splitConnectionString(text).entries()) {
    const meaning = meaningOf(name);
    if (meaning === undefined) throw refusedSetting(name, index + 1);
    if (meaning !== 'none') Object.assign(given, readers[meaning](value, name));
  }
  const { host, port = 1433, user, password } = given;
  if (!host) throw refusedString('The connection string must have a Server.');
  if (!user) throw refusedString('The connection string must have a User ID.');
  if (!password) throw refusedString('The connection string must have a Password.');
  const settings = { ...defaults, ...given, host, port, user, password };
  hosts.check(settings);
  return settings;
}

/** The setting of that name, if it is accepted. `constructor` is none, although every object has such a property. */
function meaningOf(name: string) {
  const known = plain(name);
  return Object.hasOwn(meanings, known) ? meanings[known] : undefined;
}

function plain(name: string): string {
  return name.toLowerCase().replaceAll(/\s/g, '');
}

/** A text that is no known name is not quoted, as it may be part of a password. */
function refusedSetting(name: string, number: number) {
  if (/^[\w ]{1,40}$/.test(name) && refusedNames.has(plain(name)))
    return refusedString(`${name} may not be set in the connection string.`);
  return refusedString(
    `Setting ${number} of the connection string is not known. Remove it, or, if it is the rest of a value that has a ` +
      'semicolon, put that value into quotation marks.',
  );
}

/** Known settings of ADO.NET, ODBC and JDBC that are not accepted. Only these names are quoted in errors. */
const refusedNames = new Set([
  'attachdbfilename',
  'extendedproperties',
  'initialfilename',
  'userinstance',
  'contextconnection',
  'provider',
  'driver',
  'dsn',
  'filedsn',
  'networklibrary',
  'network',
  'net',
  'failoverpartner',
  'failoverpartnerspn',
  'serverspn',
  'servercertificate',
  'columnencryptionsetting',
  'enclaveattestationurl',
  'attestationprotocol',
  'currentlanguage',
  'language',
  'enlist',
  'replication',
  'transactionbinding',
  'typesystemversion',
  'asynchronousprocessing',
  'async',
  'port',
  'portnumber',
  'instancename',
  'logintimeout',
  'mars_connection',
  'loadbalancetimeout',
  'connectionlifetime',
  'poolblockingperiod',
  'connectionreset',
  'transparentnetworkipresolution',
  'ipaddresspreference',
  'trustedconnection',
]);

function readServer(value: string): Given {
  const [, protocol, name = '', port] =
    // Up to four letters that are all hexadecimal digits begin an IPv6 address rather than a protocol. No two parts of the
    // expression may match the same blanks: with thousands of blanks, trying all divisions would take a minute.
    /^(?:((?![a-f]{1,4}:)[a-z]+):)?([^,]*)(?:,\s*(\d{1,5}))?$/i.exec(value.trim()) ?? [];
  if (protocol && protocol.toLowerCase() !== 'tcp')
    throw refusedString('Server can only be reached by TCP: write tcp:host,port.');
  const [host, instance] = name.trim().split('\\');
  if (instance !== undefined && port === undefined)
    throw refusedString('Server names an instance: write its port instead, as host,port.');
  const ascii = hostOf(host);
  if (!ascii || (port !== undefined && (Number(port) < 1 || Number(port) > 65535)))
    throw refusedString('Server must have the form host or host,port.');
  return { host: ascii, port: port === undefined ? 1433 : Number(port) };
}

/** A host in its canonical spelling, such as `1.2.3.4`, `::1` or `sql.firm.example`; '' when the text is no host. */
function hostOf(text: string): string {
  const bare = text.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '');
  const written = isIPv6(bare) ? `[${bare}]` : bare;
  // URL normalises other spellings of addresses, and names in other scripts. A host has no port behind a colon here.
  if (!/^(\[.*\]|[^\s/?#@%\\:()]+)$/.test(written)) return '';
  return parseUrl(`http://${written}`)?.hostname.replace(/^\[(.*)\]$/, '$1') ?? '';
}
