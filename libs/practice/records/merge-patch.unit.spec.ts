import type { DomainError } from '#kernel/errors';
import { completed, MoneyPatch, RatePatch } from './merge-patch';

interface Body {
  title: string;
  fee: { Amount: number; Currency: string } | null;
}

const fee = (members: Partial<MoneyPatch>) => Object.assign(new MoneyPatch(), members);
const stored = { title: 'Advice', fee: { amount: '100', currency: 'GBP' } };

describe('a merge patch', () => {
  it.each([
    [{ Amount: 120 }, { Amount: 120, Currency: 'GBP' }],
    [{ Currency: 'AUD' }, { Amount: 100, Currency: 'AUD' }],
    [{}, { Amount: 100, Currency: 'GBP' }],
    [
      { Amount: 0, Currency: 'AUD' },
      { Amount: 0, Currency: 'AUD' },
    ],
  ])('completes %j from the money that is stored to %j', (given, whole) => {
    expect(completed<Body>({ title: 'New', fee: fee(given) }, stored)).toEqual({ title: 'New', fee: whole });
    const rate = Object.assign(new RatePatch(), given);
    expect(completed<Body>({ fee: rate }, stored)).toEqual({ fee: whole });
  });

  it('leaves what it does not name, and clears what it sets to null', () => {
    expect(completed<Body>({}, stored)).toEqual({});
    expect(completed<Body>({ fee: null }, stored)).toEqual({ fee: null });
  });

  it.each([
    [{ Amount: 120 }, ['/fee/Currency']],
    [{ Currency: 'GBP' }, ['/fee/Amount']],
    [{}, ['/fee/Amount', '/fee/Currency']],
  ])('refuses %j when no money is stored', (given, pointers) => {
    const refusal = (): DomainError => {
      try {
        completed<Body>({ fee: fee(given) }, { ...stored, fee: null });
      } catch (error) {
        return error as DomainError;
      }
      throw new Error('It is taken');
    };
    const errors = pointers.map((pointer) => expect.objectContaining({ pointer, code: 'required' }));
    expect(refusal()).toMatchObject({ fault: 'invalid', code: 'validation_failed', errors });
  });
});
