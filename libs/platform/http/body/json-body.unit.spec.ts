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
  it('may be those of every object, and stay properties', () => {
    const text = '{"constructor":{"prototype":{"x":1}},"toString":1,"a":{"hasOwnProperty":null}}';
    expect(JSON.stringify(parseJson(text))).toBe(text);
    expect(({} as { x?: number }).x).toBeUndefined();
  });

  it.each(['{"__proto__":{"x":1}}', '{"a":[{"__proto__":1}]}'])('are not as in %s', (text) => {
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
  ])('in %s is told at %j', (text, pointer) => {
    expect(refusalOf(text)).toMatchObject({ fault: 'invalid', errors: [{ pointer, code: 'invalid_text' }] });
  });

  it('is taken where nothing is stored, as numbers are that are too large', () => {
    expect(parseJson('{"a\\u0000":["\\ud800",1e999]}', { storesNothing: true })).toEqual({
      'a\0': ['\ud800', Number.POSITIVE_INFINITY],
    });
  });
});

describe('a number', () => {
  it.each([
    ['1e400', ''],
    ['{"a":{"b":[-1e999]}}', '/a/b/0'],
  ])('that is too large is told, as in %s', (text, pointer) => {
    expect(refusalOf(text)).toMatchObject({
      fault: 'invalid',
      errors: [{ pointer, code: 'number_too_large' }],
    });
  });

  it('is taken up to the largest', () => {
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
  ])('is taken as far as it can be meant: %s', (_, text) => {
    expect(refusalOf(text)).toBeUndefined();
  });

  it.each([
    ['a list', JSON.stringify(Array(340_000).fill({}))],
    ['an object', JSON.stringify(Object.fromEntries(Array.from({ length: 90_000 }, (_, at) => [at, 1])))],
  ])('is refused whole, be it %s', (_, text) => {
    for (const storesNothing of [false, true])
      expect(() => parseJson(text, { storesNothing })).toThrow('more than 100000 parts');
    expect(refusalOf(text)).toMatchObject({ fault: 'malformed', code: 'too_many_parts' });
  });
});
