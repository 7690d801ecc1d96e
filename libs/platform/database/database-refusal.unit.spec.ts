import { DatabaseError } from 'pg';
import { databaseRefusal } from './database-refusal';

const database = (code: string, severity = 'ERROR') =>
  Object.assign(new DatabaseError('refused', 0, 'error'), { code, severity });
const system = (code: string, fields: object = {}) =>
  Object.assign(new Error('refused'), { code, ...fields });

describe('why no connection to a database can be made', () => {
  it.each([
    database('28P01'),
    database('3D000'),
    database('53300'),
    database('57P03'),
    database('42704', 'FATAL'),
    system('ECONNREFUSED'),
    system('ENOTFOUND'),
    system('ENOENT', { syscall: 'connect' }),
    system('DEPTH_ZERO_SELF_SIGNED_CERT'),
    system('CERT_HAS_EXPIRED'),
    system('ERR_TLS_CERT_ALTNAME_INVALID'),
  ])('is the message of the server or of the system: %p', (error) => {
    expect(databaseRefusal(error)).toBe('The database does not answer: refused');
  });

  it.each([
    'The server does not support SSL connections',
    'timeout expired',
    'timeout exceeded when trying to connect',
    'Query read timeout',
    'Connection terminated unexpectedly',
  ])('is the message of an error without a code: %s', (message) =>
    expect(databaseRefusal(new Error(message))).toBe(`The database does not answer: ${message}`),
  );

  it('is told without the statement that knex puts before the message', () => {
    const error = new Error('SELECT pg_advisory_xact_lock(1) - Connection terminated unexpectedly');
    expect(databaseRefusal(error)).toBe('The database does not answer: Connection terminated unexpectedly');
  });

  it('is told when the database takes no writes', () => {
    const error = Object.assign(database('25006'), {
      message: 'delete from "migrations" - cannot execute DELETE in a read-only transaction',
    });
    expect(databaseRefusal(error)).toBe(
      'The database takes no writes, as a standby does not: cannot execute DELETE in a read-only transaction',
    );
  });

  it('is told when the address of the database lacks the password', () => {
    const error = new Error('SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be a string');
    expect(databaseRefusal(error)).toMatch(/^The database .* wants a password/);
  });

  it.each([
    database('23505'),
    database('42P01'),
    system('ENOENT', { syscall: 'open' }),
    new TypeError("Cannot read properties of undefined (reading 'timeout')"),
    Object.assign(database('57014'), { message: 'canceling statement due to statement timeout' }),
    Object.assign(database('55P03'), { message: 'canceling statement due to lock timeout' }),
    new DOMException('The operation was aborted due to timeout', 'TimeoutError'),
  ])('is not told for any other error: %p', (error) => expect(databaseRefusal(error)).toBeUndefined());
});
