import { prefersRepresentation } from './prefer';

describe('prefersRepresentation', () => {
  it.each([
    'return=representation',
    'Return=representation',
    'RETURN = "representation"',
    'return =\trepresentation',
    'respond-async, return=representation; foo="a, b"',
    'wait=10 ,, return=representation',
    'a="return=minimal, \\", return=minimal", return=representation',
    'return=representation, return=minimal',
  ])('is true for %s', (prefer) => {
    expect(prefersRepresentation(prefer)).toBe(true);
  });

  it.each([
    undefined,
    '',
    'return',
    'return=minimal',
    'return=minimal, return=representation',
    'return="", return=representation',
    'return=representations',
    'no-return=representation',
    'handling=lenient; return=representation',
    'a="x, return=representation"',
    'a="x, return=representation',
    'respond-async return=representation',
  ])('is false for %s', (prefer) => {
    expect(prefersRepresentation(prefer)).toBe(false);
  });
});
