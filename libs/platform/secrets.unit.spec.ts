import { randomBytes } from 'node:crypto';
import { Secrets, SecretsError } from './secrets';

describe('Secrets', () => {
  const secrets = new Secrets(randomBytes(32));

  it('opens what it sealed, and seals the same text differently each time', () => {
    const sealed = secrets.seal('Grüße');
    expect(secrets.open(sealed)).toBe('Grüße');
    expect(secrets.seal('Grüße')).not.toBe(sealed);
    expect(secrets.open(secrets.seal(''))).toBe('');
  });

  it('wraps and unwraps a data key', () => {
    const dataKey = randomBytes(32);
    const wrapped = secrets.wrapKey(dataKey);
    expect(wrapped).toHaveLength(61);
    expect(secrets.unwrapKey(wrapped)).toEqual(dataKey);
  });

  it('says so when a value was sealed with another key', () => {
    const other = new Secrets(randomBytes(32));
    expect(() => other.open(secrets.seal('x'))).toThrow(/not the key that sealed it/);
    expect(() => other.unwrapKey(secrets.wrapKey(randomBytes(32)))).toThrow(SecretsError);
  });

  it('refuses a changed value, a value made for the other purpose and an unknown format', () => {
    const wrapped = secrets.wrapKey(randomBytes(32));
    const changed = Buffer.from(wrapped);
    changed[changed.length - 1] ^= 1;
    expect(() => secrets.unwrapKey(changed)).toThrow(SecretsError);
    expect(() => secrets.open(wrapped.toString('base64url'))).toThrow(SecretsError);
    expect(() => secrets.open('')).toThrow(/unknown format/);
    expect(() => secrets.unwrapKey(Buffer.of(2, 0, 0))).toThrow(/unknown format/);
  });

  it('opens values that another accepted key has sealed, seals with its own key, and reseals a value only once', () => {
    const [first, second] = [randomBytes(32), randomBytes(32)];
    const [before, after] = [new Secrets(first), new Secrets(second, [randomBytes(32), first])];
    const dataKey = randomBytes(32);
    const [sealed, wrapped] = [before.seal('x'), before.wrapKey(dataKey)];
    expect([after.open(sealed), after.unwrapKey(wrapped)]).toEqual(['x', dataKey]);
    const [resealed, rewrapped] = [after.reseal(sealed)!, after.rewrapKey(wrapped)!];
    const alone = new Secrets(second);
    expect([alone.open(resealed), alone.unwrapKey(rewrapped)]).toEqual(['x', dataKey]);
    expect([after.reseal(resealed), after.rewrapKey(rewrapped)]).toEqual([undefined, undefined]);
    expect(() => before.open(after.seal('x'))).toThrow(SecretsError);
    expect(() => alone.reseal(sealed)).toThrow(SecretsError);
  });

  it('refuses keys of another length', () => {
    expect(() => new Secrets(randomBytes(16))).toThrow(/32 bytes/);
    expect(() => new Secrets(randomBytes(32), [randomBytes(16)])).toThrow(/32 bytes/);
    expect(() => secrets.wrapKey(randomBytes(16))).toThrow(/32 bytes/);
  });
});
