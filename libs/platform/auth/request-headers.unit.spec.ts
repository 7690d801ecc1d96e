import { bearerOf, conditionsOf } from './request-headers';

describe('bearerOf', () => {
  it.each([
    ['Bearer abc.def-_', 'abc.def-_'],
    ['bearer abc', 'abc'],
    ['Basic abc', undefined],
    ['Bearer', undefined],
    ['Bearer a b', undefined],
    [undefined, undefined],
  ])('of %s is %s', (authorization, token) => {
    expect(bearerOf({ authorization })).toBe(token);
  });
});

describe('conditionsOf', () => {
  const post = (headers: Record<string, string>, body: unknown = { a: 1 }, url = '/t/api/v1/matters') =>
    conditionsOf({ method: 'POST', url, headers, body });

  it('hashes method, address and body under an idempotency key', () => {
    const first = post({ 'idempotency-key': 'k' }).idempotency!;
    expect(first).toEqual({ key: 'k', hash: expect.any(Buffer) });
    expect(first.hash).toHaveLength(32);
    expect(post({ 'idempotency-key': 'k' }).idempotency).toEqual(first);
    expect(post({ 'idempotency-key': 'k' }, { a: 2 }).idempotency).not.toEqual(first);
    expect(post({ 'idempotency-key': 'k' }, { a: 1 }, '/t/api/v1/clients').idempotency).not.toEqual(first);
    expect(post({ 'idempotency-key': 'k' }, null).idempotency?.key).toBe('k');
  });

  it.each(['', 'x'.repeat(256), 'tab\there', 'é'])('refuses the idempotency key %j', (key) => {
    expect(() => post({ 'idempotency-key': key })).toThrow(
      expect.objectContaining({ fault: 'malformed', code: 'idempotency_key_invalid' }),
    );
  });

  it('ignores an idempotency key of a method other than POST', () => {
    const headers = { 'idempotency-key': '' };
    expect(conditionsOf({ method: 'PATCH', url: '/', headers })).toEqual({});
  });

  it.each([
    ['"7"', ['7']],
    ['W/"7"', ['7']],
    [' "0" ', ['0']],
    ['"1", W/"2" ,"3"', ['1', '2', '3']],
    [',"1",, "2",', ['1', '2']],
    ['"a,b", "x"', ['a,b', 'x']],
    ['""', ['']],
    ['"99999999999"', ['99999999999']],
    ['*', '*'],
  ])('reads If-Match %s as %s', (ifMatch, tags) => {
    expect(conditionsOf({ method: 'PATCH', url: '/', headers: { 'if-match': ifMatch } }).ifMatch).toEqual(
      tags,
    );
  });

  it.each(['7', '"1" "2"', '"1", 2', '"1', 'w/"1"', '*, "1"', '', ','])('refuses If-Match %j', (ifMatch) => {
    expect(() => conditionsOf({ method: 'DELETE', url: '/', headers: { 'if-match': ifMatch } })).toThrow(
      expect.objectContaining({ fault: 'malformed', code: 'if_match_invalid' }),
    );
  });

  it('ignores If-Match of a GET', () => {
    expect(conditionsOf({ method: 'GET', url: '/', headers: { 'if-match': 'x' } })).toEqual({});
  });
});
