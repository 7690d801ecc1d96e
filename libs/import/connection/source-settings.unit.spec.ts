import { DomainError } from '#kernel/errors';
import { loadConfig } from '#platform/config';
import { SourceHosts } from './source-hosts';
import { readSettings } from './source-settings';

const production = new SourceHosts(loadConfig({}));
const LOGIN = 'User ID=reader;Password=pw';
const firm = `Server=sql.firm.example;Database=books;${LOGIN}`;

const hostsWith = (environment: Record<string, string>) => new SourceHosts(loadConfig(environment));

/** The code and the message of the error about a connection string. */
function refusalOf(text: string, hosts = production): [string, string] | undefined {
  try {
    readSettings(text, hosts);
    return undefined;
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    expect(error.fault).toBe('invalid');
    expect(error.errors).toEqual([{ pointer: '/connectionString', code: error.code, message: error.detail }]);
    return [error.code, error.detail];
  }
}

it('a connection string of repeated parts is refused in the documented shape', () => {
  for (const part of ['=', '==', '"', '""', "'", ' ', 'a=', ';', 'a="'])
    expect(refusalOf(part.repeat(Math.floor(4096 / part.length)))).toBeDefined();
  expect(refusalOf('a'.repeat(4097))?.[1]).toContain('longer than 4096');
});

it('a connection is encrypted and goes to the usual port unless the string says otherwise', () => {
  expect(readSettings(firm, production)).toEqual({
    host: 'sql.firm.example',
    port: 1433,
    database: 'books',
    user: 'reader',
    password: 'pw',
    encrypt: true,
    connectMs: 15_000,
    applicationName: 'practice-management-import',
    isReadOnly: false,
  });
});

it('accepts the connection string that a cloud portal shows', () => {
  const text =
    'Server=tcp:firm.database.windows.net,1433;Initial Catalog=books;Persist Security Info=False;User ID=reader;' +
    'Password="p;w=";MultipleActiveResultSets=False;Encrypt=Strict;TrustServerCertificate=False;' +
    'HostNameInCertificate=*.database.windows.net;Connection Timeout=300;ApplicationIntent=ReadOnly;App=books;';
  expect(readSettings(text, production)).toMatchObject({
    host: 'firm.database.windows.net',
    password: 'p;w=',
    encrypt: 'strict',
    certificateName: '*.database.windows.net',
    connectMs: 60_000,
    isReadOnly: true,
    applicationName: 'books',
  });
});

it('accepts the connection string that developer tools show', () => {
  const text =
    'Data Source=sql.firm.example;Initial Catalog=books;Integrated Security=False;Trusted_Connection=no;User ID=reader;' +
    'Password=pw;Connect Timeout=30;Encrypt=True;Trust Server Certificate=False;Application Intent=ReadWrite;' +
    'Multi Subnet Failover=False;Command Timeout=0;Connect Retry Count=3;Connect Retry Interval=10;Max Pool Size=100;Min Pool Size=0';
  expect(readSettings(text, production)).toMatchObject({ host: 'sql.firm.example', user: 'reader' });
});

it.each(['Authentication=SqlPassword', 'Authentication="Sql Password"'])(
  'accepts %s, which says that the login is by User ID and Password',
  (setting) => {
    expect(readSettings(`${firm};${setting}`, production)).toEqual(readSettings(firm, production));
  },
);

it('accepts the connection string that a host of databases shows', () => {
  const text = `workstation id=sql.firm.example;packet size=4096;user id=reader;pwd=pw;data source=sql.firm.example;persist security info=False;initial catalog=books`;
  expect(readSettings(text, production)).toEqual(readSettings(firm, production));
});

it.each([
  ['Data Source=SQL.Firm.Example.', 'sql.firm.example', 1433],
  ['Address=sql.firm.example , 14330', 'sql.firm.example', 14330],
  ['Server=tcp:8.8.8.8', '8.8.8.8', 1433],
  ['Server=tcp:[2606:4700::1],1500', '2606:4700::1', 1500],
  ['Server=2606:4700::1', '2606:4700::1', 1433],
  ['Server=sql.firm.example\\BOOKS,1500', 'sql.firm.example', 1500],
  ['Server=bücher.example', 'xn--bcher-kva.example', 1433],
])('%s is read as host %s and port %i', (server, host, port) => {
  expect(readSettings(`${server};UID=reader;PWD=pw`, production)).toMatchObject({ host, port });
});

it.each([
  ['Integrated Security=SSPI', 'Integrated Security'],
  ['Integrated Security=', 'Integrated Security'],
  ['Trusted_Connection=yes', 'Trusted_Connection'],
  ['AttachDbFilename=C:\\books.mdf', 'AttachDbFilename'],
  ['User Instance=true', 'User Instance'],
  ['Context Connection=true', 'Context Connection'],
  ['Provider=SQLOLEDB', 'Provider'],
  ['Failover Partner=other', 'Failover Partner'],
  ['Authentication=Active Directory Default', 'Authentication'],
  ['Authentication=', 'Authentication'],
  ['TrustServerCertificate=true', 'TrustServerCertificate'],
  ['Trust Server Certificate=yes', 'Trust Server Certificate'],
  ['Encrypt=false', 'Encrypt'],
  ['Encrypt=optional', 'Encrypt'],
  ['Encrypt=maybe', 'Encrypt'],
  ['Connect Timeout=0', 'Connect Timeout'],
  ['ApplicationIntent=Both', 'ApplicationIntent'],
  ['Server=np:\\\\sql\\pipe', 'Server'],
  ['Server=sql\\BOOKS', 'Server'],
  ['Server=sql.firm.example,99999', 'Server'],
  ['Server=sql.firm.example,0', 'Server'],
  ['Server=http://sql.firm.example', 'Server'],
  ['Server=sql.firm.example:1433', 'Server'],
  ['Server=tcp:sql.firm.example:5000', 'Server'],
  ['Server=8.8.8.8:5000', 'Server'],
  ['Server=a b', 'Server'],
  ['Server=.', 'Server'],
  ['Server=(local)', 'Server'],
  ['Server=(localdb),1433', 'Server'],
])('%s is refused, and the refusal contains %s', (setting, name) => {
  const [code, detail] = refusalOf(`${firm};${setting}`)!;
  expect(code).toBe('invalid_connection_string');
  expect(detail).toContain(name);
});

const UNKNOWN =
  'Setting 5 of the connection string is not known. Remove it, or, if it is the rest of a value that has a semicolon, put that ' +
  'value into quotation marks.';

it.each(['constructor', '__proto__', 'Constructor'])('%s is refused as an unknown setting', (name) => {
  expect(refusalOf(`${firm};${name}=1`)).toEqual(['invalid_connection_string', UNKNOWN]);
});

it('says how to write a password with a semicolon when the rest of it looks like a setting', () => {
  const written = firm.replace(/Password=[^;]*/, 'Password=Winter;is=coming');
  expect(refusalOf(written)).toEqual(['invalid_connection_string', UNKNOWN]);
});

it.each([
  'jdbc:sqlserver://sql.firm.example:1433;user=reader;password=pw',
  'jdbc:jtds:sqlserver://sql.firm.example:1433/books;user=reader;password=pw',
  'mssql://reader:pw@sql.firm.example/books?a=1',
  'mssql+pyodbc://reader:pw@sql.firm.example/books?driver=a',
])('%s is refused as a URL', (url) => {
  expect(refusalOf(url)).toEqual([
    'invalid_connection_string',
    'The connection string is a URL; write it as Server=host,port;Database=…;User ID=…;Password=… instead.',
  ]);
});

it.each(['Password=p;w', 'Pwd={p;w}', 'Password="p"w', 'Password=p;"w'])(
  '%s is refused for missing quotation marks',
  (setting) => {
    expect(refusalOf(`Server=sql.firm.example;User ID=reader;${setting}`)?.[1]).toMatch(
      /^Setting [34] of the connection string is not name=value. Put a value that has a semicolon or quotation marks into quotation marks/,
    );
  },
);

it('names a connection setting of other drivers when it refuses it', () => {
  for (const name of ['Port', 'Login Timeout', 'MARS_Connection'])
    expect(refusalOf(`${firm};${name}=1433`)?.[1]).toBe(`${name} may not be set in the connection string.`);
});

it.each(['Server', 'User ID', 'Password'])('a connection string without %s is refused', (name) => {
  const without = firm.replace(new RegExp(`${name}=[^;]*;?`), '');
  expect(refusalOf(without)).toEqual(['invalid_connection_string', expect.stringContaining(name)]);
});

it.each([
  '127.0.0.1',
  'localhost',
  '2130706433',
  '0x7f.1',
  '10.0.0.1',
  '169.254.169.254',
  '::1',
  '::ffff:10.0.0.1',
  'sql.internal',
  'sql.firm.example,22',
])('a source at %s is refused', (server) => {
  expect(refusalOf(`Server=${server};${LOGIN}`)?.[0]).toBe('host_not_allowed');
});

it.each(['', 'tcp:'])('refuses a Server of thousands of blanks behind "%s" at once', (before) => {
  const since = performance.now();
  const refusal = refusalOf(`Server="${before}${' '.repeat(4_000)},,";${LOGIN}`);
  expect(refusal).toEqual(['invalid_connection_string', 'Server must have the form host or host,port.']);
  expect(performance.now() - since).toBeLessThan(10_000);
});

it('says that the port is not allowed when only the port is wrong', () => {
  expect(refusalOf(`Server=sql.firm.example,443;${LOGIN}`)).toEqual([
    'host_not_allowed',
    'The port of Server must be 1024 or above, or one that the operator allows.',
  ]);
});

it('accepts the servers that the operator allows, and no others', () => {
  const hosts = hostsWith({ IMPORT_ALLOWED: '10.1.0.0/16,fdab::/16,sql.internal,sql.firm.example:443' });
  for (const server of [
    '10.1.2.3',
    'sql.internal',
    'sql.firm.example,443',
    'fdab:cdef::5',
    'tcp:fdab:cdef::5,1500',
    'FDAB:1::5',
  ])
    expect(refusalOf(`Server=${server};${LOGIN}`, hosts)).toBeUndefined();
  for (const server of ['10.2.2.3', 'other.example,443'])
    expect(refusalOf(`Server=${server};${LOGIN}`, hosts)?.[0]).toBe('host_not_allowed');
  expect(hosts.allows({ host: 'sql.internal', port: 1433 }, '10.9.9.9')).toBe(true);
  expect(hosts.allows({ host: 'sql.firm.example', port: 1433 }, '10.9.9.9')).toBe(false);
});

it('accepts a connection to this machine and without encryption where the operator allows that', () => {
  const hosts = hostsWith({ IMPORT_ALLOW_INSECURE: 'true' });
  expect(readSettings(`Server=127.0.0.1,5000;${LOGIN};Encrypt=false`, hosts)).toMatchObject({
    encrypt: false,
  });
  expect(refusalOf(`Server=10.0.0.1;${LOGIN}`, hosts)?.[0]).toBe('host_not_allowed');
});

it('a refusal never repeats a value of the connection string', () => {
  const secret = 'Zq7xSecret';
  const strings = [
    `${firm};Zq7xSecret`,
    `${firm};Zq7xSecret=1`,
    `Server=a;Password=x;${secret}=tail;User ID=b`,
    `Server=${secret} x;User ID=${secret};Password=${secret}`,
    `Server=127.0.0.1;User ID=${secret};Password=${secret}`,
    `${firm};Encrypt=${secret}`,
    `${firm};Connect Timeout=${secret}`,
    `${firm};Password="${secret}`,
    `${firm};HostNameInCertificate=${secret} ${secret}`,
    `${firm};ApplicationIntent=${secret}`,
    `${firm};Authentication=${secret}`,
    `${firm};Server=${secret}:x`,
  ];
  for (const text of strings) expect(refusalOf(text)?.join()).not.toMatch(/Zq7x/i);
  for (const text of strings) expect(refusalOf(text)).toBeDefined();
});
