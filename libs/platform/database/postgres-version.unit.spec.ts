import { outdated } from './postgres-version';

describe('the version of PostgreSQL', () => {
  it.each([
    [170_011, 'PostgreSQL 18.1 or newer is needed; this server is 17.11'],
    [180_000, 'PostgreSQL 18.1 or newer is needed; this server is 18.0'],
  ])('is refused when the read models cannot be written with it: %i', (version, refusal) => {
    expect(outdated(version)).toBe(refusal);
  });

  it.each([180_001, 180_004, 190_000])('may be newer: %i', (version) => {
    expect(outdated(version)).toBeUndefined();
  });
});
