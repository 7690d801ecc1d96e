import { DomainError } from '#kernel/errors';
import { parseJson } from './json-body';

function refusalOf(text: string): DomainError | undefined {
  try {
    parseJson(text);
    return undefined;
  } catch (error) {
    return error as DomainError;
  }
}

describe('the names of properties', () => {
  it('may be names that every object inherits, and stay ordinary properties', () => {
    const text = '{"constructor":{"prototype":{"x":1}},"toString":1,"a":{"hasOwnProperty":null}}';
    expect(JSON.stringify(parseJson(text))).toBe(text);
    expect(({} as { x?: number }).x).toBeUndefined();
  });

  it.each(['{"__proto__":{"x":1}}', '{"a":[{"__proto__":1}]}'])('must not be __proto__: %s', (text) => {
    expect(refusalOf(text)).toMatchObject({ fault: 'malformed', code: 'malformed_json' });
  });
});

describe('text that cannot be stored', () => {
  it.each([
    ['"\\u0000"', ''],
    ['{"a\\u0000":1}', ''],
    ['{"a":[{"\\ud800":1}]}', '/a/0'],
    ['{"a":["x","\\ud800"]}', '/a/1'],
    ['{"a/b~c":{"d":"\\u0000"}}', '/a~1b~0c/d'],
  ])('is refused in %s, with the pointer %j', (text, pointer) => {
    expect(refusalOf(text)).toMatchObject({ fault: 'invalid', errors: [{ pointer, code: 'invalid_text' }] });
  });

  it('is accepted where nothing is stored, and so are numbers that are too large', () => {
    expect(parseJson('{"a\\u0000":["\\ud800",1e999]}', { storesNothing: true })).toEqual({
      'a\0': ['\ud800', Number.POSITIVE_INFINITY],
    });
  });
});

describe('a number', () => {
  it.each([
    ['1e400', ''],
    ['{"a":{"b":[-1e999]}}', '/a/b/0'],
  ])('is refused when it is too large: %s', (text, pointer) => {
    expect(refusalOf(text)).toMatchObject({
      fault: 'invalid',
      errors: [{ pointer, code: 'number_too_large' }],
    });
  });

  it('is accepted up to the largest that JavaScript knows', () => {
    expect(parseJson('[1.7976931348623157e308, -1e-400]')).toEqual([Number.MAX_VALUE, -0]);
  });
});

describe('a body of very many parts', () => {
  const settings = `{"a":[${Array(32_700).fill(1)}]}`;
  const lines = JSON.stringify({
    lines: Array(1000).fill(Object.fromEntries([...'abcdefghijklm'].entries())),
  });

  it.each([
    ['64 KiB of settings', settings],
    ['an invoice of a thousand lines', lines],
  ])('is accepted as long as a client may mean it: %s', (_, text) => {
    expect(refusalOf(text)).toBeUndefined();
  });

  it.each([
    ['a list', JSON.stringify(Array(340_000).fill({}))],
    ['an object', JSON.stringify(Object.fromEntries(Array.from({ length: 90_000 }, (_, at) => [at, 1])))],
  ])('is refused as a whole, whether it is a list or an object: %s', (_, text) => {
    for (const storesNothing of [false, true])
      expect(() => parseJson(text, { storesNothing })).toThrow('more than 100000 parts');
    expect(refusalOf(text)).toMatchObject({ fault: 'malformed', code: 'too_many_parts' });
  });
});
