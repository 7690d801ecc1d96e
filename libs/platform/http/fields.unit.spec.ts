import { DomainError } from '#kernel/errors';
import { NumberField, ObjectField, RateInput, TextField } from './fields';
import { RequestPipe } from './request.pipe';

class Body {
  @NumberField({ max: 60, decimals: 4 })
  minutes?: number;

  @ObjectField(() => RateInput)
  rate?: RateInput;

  @TextField({ notBlank: true })
  number?: string;
}

function codes(body: object): string[] {
  try {
    new RequestPipe().transform(body, { type: 'body', metatype: Body });
    return [];
  } catch (error) {
    return (error as DomainError).errors.map(({ code }) => code);
  }
}

describe('fields', () => {
  it.each([[7.5], [0.0001], [60], [null]])('takes %s minutes', (minutes) => {
    expect(codes({ minutes })).toEqual([]);
  });

  it.each([[0.00001], [1e-7], [1.5e-7], ['6'], [Number.NaN]])('refuses %s minutes', (minutes) => {
    expect(codes({ minutes })).toEqual(['is_number']);
  });

  it('takes a rate of ten decimals', () => {
    expect(codes({ rate: { Amount: 1e-10, Currency: 'GBP' } })).toEqual([]);
    expect(codes({ rate: { Amount: 1e-11, Currency: 'GBP' } })).toEqual(['is_number']);
  });

  it.each([[[{ Amount: 1, Currency: 'GBP' }]], [[]], ['1'], [1]])('takes no %j for an object', (rate) => {
    expect(codes({ rate })).toEqual(['not_an_object']);
  });

  it('takes no blank text where one must say something', () => {
    expect(codes({ number: ' ' })).toEqual(['matches']);
    expect(codes({ number: null })).toEqual([]);
  });
});
