import { createHash } from 'node:crypto';
import { digestOf, printDigest, requireDigest } from './content-digest';

const hex = createHash('sha256').update('bytes').digest('hex');
const header = printDigest(hex);

it('finds the SHA-256 among others', () => {
  for (const text of [header, `sha-512=:AAAA:, ${header}`, `${header} , md5=:AAAA:`])
    expect(digestOf(text)).toBe(hex);
  for (const text of [undefined, 'sha-512=:AAAA:']) expect(digestOf(text)).toBeUndefined();
});

it.each(['', 'sha-256', `sha-256=${hex}`, 'sha-256=:AAAA:', 'sha-256=:!:', 'SHA-256=:AAAA:', `${header},`])(
  'refuses %j',
  (text) => {
    expect(() => digestOf(text)).toThrow(expect.objectContaining({ code: 'content_digest_invalid' }));
  },
);

async function* bytes() {
  yield Buffer.from('by');
  yield Buffer.from('tes');
}
const read = async (sha256: string | undefined) => {
  let text = '';
  for await (const chunk of requireDigest(bytes(), sha256)) text += chunk;
  return text;
};

it('lets only bytes through that match the digest, and any bytes when none is given', async () => {
  expect(await read(hex)).toBe('bytes');
  expect(await read(undefined)).toBe('bytes');
  await expect(read('0'.repeat(64))).rejects.toMatchObject({ code: 'digest_mismatch', fault: 'invalid' });
});
