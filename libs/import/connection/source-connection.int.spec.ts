import { Logger } from '@nestjs/common';
import { expiredCertificate } from '../../../test/support/tds/certificate';
import type { Faults } from '../../../test/support/tds/faults';
import { createSourceTables } from '../../../test/support/tds/source-tables';
import type { ConnectionStringParts, TdsOptions } from '../../../test/support/tds/tds-options';
import { type ExtractionParts, openExtraction } from '../testing/extraction-parts';
import { SourceFailure } from './source-failure';

const PASSWORD = 'Zq7x;Secret=1';
let parts: ExtractionParts;

beforeAll(() => Logger.overrideLogger(false));
afterEach(() => parts?.close());

/** The error with which an import from such a server ends before it has read a row. */
async function failureOf(
  options: Partial<TdsOptions>,
  said: ConnectionStringParts = {},
  environment: object = {},
  fault: Partial<Faults> = {},
): Promise<SourceFailure> {
  parts = await openExtraction({ password: PASSWORD, ...options });
  await createSourceTables(parts.store.url);
  Object.assign(parts.store.config, environment);
  Object.assign(parts.source.faults, fault);
  await parts.queue(parts.source.connectionString(said));
  const { run } = (await parts.take({ mostTries: 1, stallMs: 10_000 }))!;
  const failure = await run().then(
    () => new Error('It went well.'),
    (error: Error) => error,
  );
  expect(failure.message).not.toMatch(/Zq7x|importer|127\.0\.0\.1|localhost/);
  // The message says what has happened, then what to do.
  if (failure instanceof SourceFailure) expect(failure.message).toMatch(/^[A-Z][^.]*[.:] .+\.$/);
  return failure as SourceFailure;
}

it.each([
  ['optional', 'true'],
  ['optional', 'strict'],
  ['required', 'true'],
  ['strict', 'strict'],
] as const)('reads a server whose encryption is %s with Encrypt=%s', async (tls, encrypt) => {
  expect((await failureOf({ tls }, { encrypt })).message).toBe('It went well.');
});

it('reads without encryption where that is allowed', async () => {
  const insecure = { IMPORT_ALLOW_INSECURE: 'true' };
  expect((await failureOf({ tls: 'none' }, { encrypt: 'false' }, insecure)).message).toBe('It went well.');
});

it.each<[string, Partial<TdsOptions>, ConnectionStringParts, Partial<Faults>]>([
  ['login_refused', {}, { password: 'Zq7x-another' }, {}],
  ['login_refused', {}, {}, { refuseLogin: { number: 18456 } }],
  ['database_missing', {}, { name: 'other' }, {}],
  ['not_encrypted', { tls: 'none' }, {}, {}],
  ['not_encrypted', {}, {}, { noEncryption: true }],
  ['connection_lost', {}, {}, { refuseConnections: true }],
  ['timed_out', {}, { more: ['Connect Timeout=1'] }, { silent: true }],
  ['server_busy', {}, {}, { refuseLogin: { number: 40613 } }],
  ['firewall', {}, {}, { refuseLogin: { number: 40615 } }],
  ['certificate_name', {}, { more: ['HostNameInCertificate=sql.firm.example'] }, {}],
])('fails with %s for %j %j %j', async (code, options, said, fault) => {
  expect((await failureOf(options, said, {}, fault)).code).toBe(code);
  if (code === 'not_encrypted') expect(parts.source.logins).toEqual([]);
});

it('trusts only the certificate authorities that it was given', async () => {
  const failure = await failureOf({}, {}, { IMPORT_CA_FILE: undefined });
  expect(failure.code).toBe('certificate_unknown');
  expect(parts.source.logins).toEqual([]);
});

it('reports an expired certificate', async () => {
  const certificate = await expiredCertificate();
  expect((await failureOf({ certificate }, { encrypt: 'true' })).code).toBe('certificate_expired');
});

it('does not connect to an address that is no longer allowed', async () => {
  const failure = await failureOf({}, {}, { IMPORT_ALLOWED: undefined });
  expect(failure.message).toContain('one that the operator allows');
  expect(parts.source.logins).toEqual([]);
});
