import { DatabaseError } from 'pg';
import { isConnectionLost, isOutage, isTransient, isUnreachable } from './connection-lost';

const database = (code: string) => Object.assign(new DatabaseError('failed', 0, 'error'), { code });
const system = (code: string) => Object.assign(new Error('failed'), { code });

describe('whether a connection was lost', () => {
  it.each(['08000', '08006', '25006', '25P03', '53100', '53300', '57P01', '57P02', '57P03', '58030'])(
    'yes: SQLSTATE %s',
    (code) => expect(isConnectionLost(database(code))).toBe(true),
  );

  it.each(['22003', '23505', '40001', '40P01', '42P01', '57014', 'P0001'])('no: SQLSTATE %s', (code) =>
    expect(isConnectionLost(database(code))).toBe(false),
  );

  it.each(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH'])(
    'yes: %s',
    (code) => expect(isConnectionLost(system(code))).toBe(true),
  );

  it.each(['ERR_INVALID_URL', 'ERR_OUT_OF_RANGE', 'ERR_CRYPTO_INVALID_AUTH_TAG', 'ABORT_ERR', ''])(
    'no: %s',
    (code) => expect(isConnectionLost(system(code))).toBe(false),
  );

  it.each([
    'Connection terminated',
    'Connection terminated unexpectedly',
    'Connection terminated due to connection timeout',
    'Client has encountered a connection error and is not queryable',
    'Client was closed and is not queryable',
    'timeout exceeded when trying to connect',
    'timeout expired',
    'Query read timeout',
  ])('yes: %s', (message) => expect(isConnectionLost(new Error(message))).toBe(true));

  it.each([new Error('Cannot fold this'), new TypeError('undefined'), 'a string', { message: 1 }])(
    'no: %p',
    (error) => expect(isConnectionLost(error)).toBe(false),
  );
});

describe('whether a request failed because the database did not answer', () => {
  it.each(['08006', '25006', '53300', '57P01', '57014', '55P03', '40P01', '40001'])(
    'yes: SQLSTATE %s',
    (code) => expect(isOutage(database(code))).toBe(true),
  );
  it.each(['23505', '22003', '42P01'])('no: SQLSTATE %s', (code) =>
    expect(isOutage(database(code))).toBe(false),
  );
  it.each(['ECONNREFUSED', 'EPIPE', 'ETIMEDOUT', 'EAI_AGAIN'])('yes: %s', (code) =>
    expect(isOutage(system(code))).toBe(true),
  );
  it.each(['ENOENT', 'EACCES', 'ENOSPC', 'EMFILE'])('no, but a file: %s', (code) =>
    expect(isOutage(system(code))).toBe(false),
  );
  it.each([undefined, null, 'a string'])('no: %p', (error) => expect(isOutage(error)).toBe(false));
});

describe('whether work may succeed later', () => {
  it.each(['53100', '57P01', '57014', '55P03', '40P01', '40001'])('yes: SQLSTATE %s', (code) =>
    expect(isTransient(database(code))).toBe(true),
  );
  it.each(['EPIPE', 'ENOSPC'])('yes: %s', (code) => expect(isTransient(system(code))).toBe(true));
  it.each([database('23505'), database('42P01'), new Error('Cannot fold this')])('no: %p', (error) =>
    expect(isTransient(error)).toBe(false),
  );
});

describe('whether no connection could be made', () => {
  it.each([
    database('57P03'),
    database('53300'),
    system('ECONNREFUSED'),
    system('ENOTFOUND'),
    new Error('timeout exceeded when trying to connect'),
    new Error('timeout expired'),
    new Error('Connection terminated due to connection timeout'),
  ])('yes: %p', (error) => expect(isUnreachable(error)).toBe(true));
  it.each([
    database('57P02'),
    database('57014'),
    system('ECONNRESET'),
    new Error('Connection terminated unexpectedly'),
    new Error('Query read timeout'),
  ])('no: %p', (error) => expect(isUnreachable(error)).toBe(false));
});
