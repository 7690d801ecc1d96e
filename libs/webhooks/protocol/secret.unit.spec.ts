import fc from 'fast-check';
import { generateSecret, InvalidSecret, keyOf, parseSecret } from './secret';

const whsec = (bytes: number) => `whsec_${Buffer.alloc(bytes, 0xfb).toString('base64')}`;

it('a GUID is the key that .NET makes of it', () => {
  const secret = parseSecret('12345678-0000-0000-0000-123456789012');
  expect(secret).toEqual({ kind: 'guid', text: '12345678-0000-0000-0000-123456789012' });
  expect(keyOf(secret).toString('hex')).toBe('78563412000000000000123456789012');
  expect(keyOf(parseSecret('00112233-4455-6677-8899-AABBCCDDEEFF')).toString('hex')).toBe(
    '33221100554477668899aabbccddeeff',
  );
});

it('a standard secret is the key that follows its prefix', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 24, maxLength: 64 }), (bytes) => {
      const text = `whsec_${Buffer.from(bytes).toString('base64')}`;
      expect(parseSecret(text)).toEqual({ kind: 'standard', text });
      expect(keyOf(parseSecret(text))).toEqual(Buffer.from(bytes));
    }),
  );
});

it('a generated secret has 32 bytes, and no two are the same', () => {
  expect(keyOf(parseSecret(generateSecret()))).toHaveLength(32);
  expect(generateSecret()).not.toBe(generateSecret());
});

it.each([
  ['an empty text', '', 'whsec_ and base64, or a GUID'],
  ['a word', 'swordfish', 'whsec_ and base64, or a GUID'],
  ['a GUID without dashes', '12345678000000000000123456789012', 'whsec_ and base64, or a GUID'],
  ['a GUID in braces', '{12345678-0000-0000-0000-123456789012}', 'whsec_ and base64, or a GUID'],
  ['23 bytes', whsec(23), '24 to 64 bytes before base64; this one has 23'],
  ['65 bytes', whsec(65), '24 to 64 bytes before base64; this one has 65'],
  ['base64 without padding', whsec(32).replace('=', ''), 'padded'],
  ['base64 in the alphabet of URLs', whsec(32).replaceAll('+', '-').replaceAll('/', '_'), 'with + and /'],
  ['a line break', `${whsec(32)}\n`, 'comes base64'],
  ['characters that are not in base64', whsec(32).replace('whsec_', 'whsec_*'), 'comes base64'],
])('%s is not a secret', (_, text, message) => {
  expect(() => parseSecret(text)).toThrow(InvalidSecret);
  expect(() => parseSecret(text)).toThrow(message);
});

it.each([24, 64])('%i bytes are a secret', (bytes) => {
  expect(keyOf(parseSecret(whsec(bytes)))).toHaveLength(bytes);
});

it('the error about a refused secret does not contain it', () => {
  try {
    parseSecret('swordfish');
  } catch (error) {
    expect(JSON.stringify([error, (error as Error).message])).not.toContain('swordfish');
  }
  expect.assertions(1);
});
