import * as fc from 'fast-check';
import {
  comparePositions,
  earliest,
  fromToken,
  type Position,
  parsePosition,
  printPosition,
  START,
  toToken,
} from './position';

const positions: fc.Arbitrary<Position> = fc.record({
  epoch: fc.integer({ min: 0, max: 999_999_999 }),
  transactionId: fc.bigInt({ min: 0n, max: 10n ** 18n - 1n }),
  position: fc.bigInt({ min: 0n, max: 10n ** 18n - 1n }),
});

describe('positions', () => {
  it.each<[string, Position, Position]>([
    [
      'epoch first',
      { epoch: 1, transactionId: 9n, position: 9n },
      { epoch: 2, transactionId: 1n, position: 1n },
    ],
    [
      'transaction second',
      { epoch: 1, transactionId: 9n, position: 9n },
      { epoch: 1, transactionId: 10n, position: 1n },
    ],
    [
      'position last',
      { epoch: 1, transactionId: 9n, position: 9n },
      { epoch: 1, transactionId: 9n, position: 10n },
    ],
  ])('are ordered by %s', (_, low, high) => {
    expect(comparePositions(low, high)).toBeLessThan(0);
    expect(comparePositions(high, low)).toBeGreaterThan(0);
    expect(comparePositions(low, { ...low })).toBe(0);
    expect(earliest([high, low, high])).toBe(low);
  });

  it('survive printing and tokens', () => {
    fc.assert(
      fc.property(positions, (at) => {
        expect(parsePosition(printPosition(at))).toEqual(at);
        expect(fromToken(toToken(at))).toEqual(at);
      }),
    );
  });

  it('never come before the start', () => {
    fc.assert(fc.property(positions, (at) => comparePositions(START, at) <= 0));
  });

  it.each([
    '',
    'x',
    '1.2',
    '....',
    Buffer.from('1.2.3.4').toString('base64url'),
    Buffer.from('1.-2.3').toString('base64url'),
  ])('refuses the token %j', (token) => {
    expect(() => fromToken(token)).toThrow(
      expect.objectContaining({ fault: 'malformed', code: 'invalid_position' }),
    );
  });
});
