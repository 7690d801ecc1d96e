import { hashSecret, newSecret, verifySecret } from './secret-hash';

describe('secret hashes', () => {
  it('tell the right secret from a wrong one', async () => {
    const secret = newSecret();
    const hash = await hashSecret(secret);
    expect(hash).toMatch(/^\$scrypt\$ln=12,r=8,p=4\$/);
    expect(hash).not.toContain(secret);
    expect(await verifySecret(secret, hash)).toBe(true);
    expect(await verifySecret(`${secret}x`, hash)).toBe(false);
    expect(await verifySecret('', hash)).toBe(false);
  });

  it('are salted', async () => {
    expect(await hashSecret('same')).not.toBe(await hashSecret('same'));
  });

  it('are verified with the parameters that they were made with', async () => {
    // RFC 7914, section 12: scrypt(P="password", S="NaCl", N=1024, r=8, p=16, dkLen=64)
    const hash = Buffer.from(
      'fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b373162' +
        '2eaf30d92e22a3886ff109279d9830dac727afb94a83ee6d8360cbdfa2cc0640',
      'hex',
    ).toString('base64');
    const rfc = `$scrypt$ln=10,r=8,p=16$TmFDbA$${hash.replaceAll('=', '')}`;
    expect(await verifySecret('password', rfc)).toBe(true);
  });

  it('refuse an unknown format', async () => {
    await expect(verifySecret('x', 'plain')).rejects.toThrow(/unknown format/);
  });
});
