import { storedJson } from './stored-json';

describe('storedJson', () => {
  it.each([
    ['a NUL', 'a\0b'],
    ['the first half of a pair', 'a\ud83d'],
    ['the second half of a pair', '\ude00b'],
    ['a NUL behind a backslash', '\\\0'],
    ['a NUL in the name of a property', { 'a\0': 1 }],
  ])('refuses %s', (_, value) => {
    expect(() => storedJson({ value })).toThrow(
      expect.objectContaining({ fault: 'invalid', code: 'invalid_text' }),
    );
  });

  it.each(['plain', '😀', 'the text \\u0000, as typed', '\\\\u0000', '\\ud83d', 'a\nb\tc\u0001', 'é\u2028'])(
    'keeps %j, in one line',
    (value) => {
      const text = storedJson({ value });
      expect(text).not.toContain('\n');
      expect(JSON.parse(text)).toEqual({ value });
    },
  );
});
