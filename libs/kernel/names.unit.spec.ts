import { isName } from './names';

it.each(['Acme', 'Łódź & Søn – ß', '律师', 'x'.repeat(200), '𝒜'.repeat(200), ' a '])(
  'is a name: %j',
  (text) => {
    expect(isName(text)).toBe(true);
  },
);

it.each(['', '  ', 'x'.repeat(201), 'x'.repeat(100_000), 'a\nb', 'a\u0000', '\u001b[31m', 'a\u0085'])(
  'is not a name: %.20j',
  (text) => {
    expect(isName(text)).toBe(false);
  },
);
