import { aliasPattern } from '#platform/auth/tenants';
import { stagingAlias } from './staging-tenants';

describe('the alias of a staging tenant', () => {
  it('is that of its parent with a suffix', () => {
    expect(stagingAlias('firm')).toBe('firm--staging');
    expect(stagingAlias('a'.repeat(43))).toBe(`${'a'.repeat(43)}--staging`);
  });

  it('is unique for a long alias too, and leaves room for the suffix of a retired one', () => {
    const aliases = [44, 54, 63].flatMap((length) => [
      'b'.repeat(length),
      `${'b'.repeat(length - 1)}c`,
      `${'b'.repeat(33)}-${'b'.repeat(length - 34)}`,
    ]);
    const staged = aliases.map(stagingAlias);
    expect(new Set(staged).size).toBe(aliases.length);
    for (const alias of staged) {
      expect(alias).toMatch(aliasPattern);
      expect(`${alias}-2147483647`).toMatch(aliasPattern);
    }
  });
});
