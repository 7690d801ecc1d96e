import fc from 'fast-check';
import { DomainError } from '#kernel/errors';
import { splitConnectionString } from './connection-string';

describe('a connection string', () => {
  it.each([
    ['a=1;b=2', { a: '1', b: '2' }],
    [' a = 1 ;; ; b=2;', { a: '1', b: '2' }],
    ['a="1;2"', { a: '1;2' }],
    ['a="say ""hi"""', { a: 'say "hi"' }],
    ["a='it''s'", { a: "it's" }],
    ['a="it\'s";b=2', { a: "it's", b: '2' }],
    ["a=' 1 '", { a: ' 1 ' }],
    ['a=1=2', { a: '1=2' }],
    ['a==b=2', { 'a=b': '2' }],
    ['a=', { a: '' }],
    ['a=x"y', { a: 'x"y' }],
    ['', {}],
  ])('is split into its settings: %j', (text, wanted) => {
    const settings = splitConnectionString(text).map(({ name, value }) => [name, value]);
    expect(Object.fromEntries(settings)).toEqual(wanted);
  });

  it.each(['a', 'a;b=1', '=1', 'a=\u0001'])('is refused when it has no settings: %j', (text) => {
    expect(() => splitConnectionString(text)).toThrow(DomainError);
  });
  it.each(['a="1', "a='1", 'a="1"2', 'a=1;"b"', 'a= "1"2', 'a=\t"1', "a = '1"])(
    'is refused when a quotation mark is missing: %j',
    (text) => {
      expect(() => splitConnectionString(text)).toThrow('is not name=value');
    },
  );

  it('can have any value in quotation marks', () => {
    const value = fc.string({ unit: 'grapheme-ascii' });
    fc.assert(
      fc.property(value, value, (first, second) => {
        const text = `a="${first.replaceAll('"', '""')}";b='${second.replaceAll("'", "''")}'`;
        expect(splitConnectionString(text).map((each) => each.value)).toEqual([first, second]);
      }),
    );
  });

  const repeated = (part: string) => part.repeat(Math.floor(4096 / part.length));

  it.each(['=', '==', '"', '""', "'", 'a="'])('is refused at once when it only repeats %j', (part) => {
    expect(() => splitConnectionString(repeated(part))).toThrow(DomainError);
  });

  it.each([' ', ';', 'a='])('is split at once when it only repeats %j', (part) => {
    expect(() => splitConnectionString(repeated(part))).not.toThrow();
  });

  it('is refused when it is longer than 4096 characters', () => {
    expect(() => splitConnectionString('a'.repeat(4097))).toThrow('longer than 4096');
  });
});
