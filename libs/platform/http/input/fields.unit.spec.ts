import { DomainError, type FieldError } from '#kernel/errors';
import { CodeField } from './code-field';
import { NumberField, ObjectField, RateInput, TextField } from './fields';
import { IdsField } from './list-fields';
import { RequestPipe } from './request.pipe';
import { DayField, InstantField } from './time-fields';

class Body {
  @NumberField({ max: 60, decimals: 4 })
  minutes?: number;

  @ObjectField(() => RateInput)
  rate?: RateInput;

  @TextField({ notBlank: true })
  number?: string;

  @TextField({ pattern: { expression: /^[0-9]{2}$/, form: 'two digits' } })
  code?: string;

  @CodeField({ max: 20, description: 'Unique.' })
  unique?: string | null;

  @IdsField('division', { max: 2 })
  divisionIds?: string[];

  @InstantField()
  opened?: string;

  @DayField()
  due?: string;
}

class Named {
  @IdsField('division', { required: true, max: 2 })
  ids: string[];
}

function faults(body: object, metatype: new () => object = Body): FieldError[] {
  try {
    new RequestPipe().transform(body, { type: 'body', metatype });
    return [];
  } catch (error) {
    return [...(error as DomainError).errors];
  }
}

const codes = (body: object) => faults(body).map(({ code }) => code);

describe('fields', () => {
  it('are refused as unknown even when every object inherits a property of that name', () => {
    const names = ['constructor', 'toString', 'hasOwnProperty', 'isPrototypeOf'];
    for (const name of names) {
      const wanted = (pointer: string) => [
        { pointer, code: 'unknown_property', message: `${pointer.slice(1)} is not a known property` },
      ];
      expect(faults({ [name]: { prototype: 1 } })).toEqual(wanted(`/${name}`));
      const rate = { Amount: 1, Currency: 'GBP', [name]: 1 };
      expect(faults({ rate })).toEqual(wanted(`/rate/${name}`));
    }
  });

  it('are not checked in an object of more than 100 properties', () => {
    const many = Object.fromEntries(Array.from({ length: 101 }, (_, at) => [`p${at}`, 1]));
    const fault = (pointer: string, what: string) => [
      { pointer, code: 'too_many_properties', message: `${what} has more than 100 properties` },
    ];
    expect(faults(many)).toEqual(fault('', 'The body'));
    expect(faults({ minutes: 1, rate: many })).toEqual(fault('/rate', 'rate'));
    const { p100: _, ...fewer } = many;
    expect(codes(fewer)).toEqual(Array(100).fill('unknown_property'));
  });

  it.each([[7.5], [0.0001], [60], [null]])('takes %s minutes', (minutes) => {
    expect(codes({ minutes })).toEqual([]);
  });

  it.each([[0.00001], [1e-7], [1.5e-7], ['6'], [Number.NaN]])('refuses %s minutes', (minutes) => {
    expect(codes({ minutes })).toEqual(['is_number']);
  });

  it.each(['M-1', 'a b', 'Caf\u00e9', '\u{1d49c}', null, undefined])('takes %j as a code', (unique) => {
    expect(codes({ unique })).toEqual([]);
  });

  it.each([' M-1', 'M-1 ', 'M-1\n', '\u00a0M-1', '\ufeffM-1', 'Cafe\u0301', '\u212b'])(
    'refuses %j as a code: it looks like another one',
    (unique) => {
      expect(faults({ unique })).toEqual([
        {
          pointer: '/unique',
          code: 'not_normalised',
          message: "unique must have no white space at its ends, and be in Unicode's form NFC",
        },
      ]);
    },
  );

  it('says in words what a text must be', () => {
    expect(faults({ code: '12' })).toEqual([]);
    const message = 'code must be two digits';
    expect(faults({ code: 'x' })).toEqual([{ pointer: '/code', code: 'matches', message }]);
  });

  it.each(['', '.1', '.1234567', '.123456789'])(
    'takes a timestamp with the fraction %j of a second',
    (fraction) => {
      const opened = `2025-06-12T10:00:00${fraction}Z`;
      expect(faults({ opened, due: opened })).toEqual([]);
    },
  );

  it.each(['1899-12-31', '2200-01-01', '9999-12-31'])(
    'refuses %s, and says between which years a date must be',
    (due) => {
      const years = 'between 1900 and 2199';
      expect(faults({ opened: `${due}T00:00:00Z`, due }).map(({ message }) => message)).toEqual([
        `opened must be an ISO 8601 timestamp such as 2025-06-12T10:00:00Z, ${years}`,
        `due must be a day such as 2025-06-12, or a timestamp, ${years}`,
      ]);
    },
  );

  it('takes a rate of ten decimals', () => {
    expect(codes({ rate: { Amount: 1e-10, Currency: 'GBP' } })).toEqual([]);
    expect(codes({ rate: { Amount: 1e-11, Currency: 'GBP' } })).toEqual(['is_number']);
  });

  it.each([250_000, 999_999_999, 99_999.1234567891, 250_000.123456789])(
    'takes the rate %s, which may be the whole of a fixed fee',
    (Amount) => expect(codes({ rate: { Amount, Currency: 'GBP' } })).toEqual([]),
  );

  it('refuses a rate with more digits than a JSON number keeps exactly', () => {
    const message = 'Amount must be a number of at most 10 decimals and 15 digits in all';
    const rate = { Amount: 250_000.1234567891, Currency: 'GBP' };
    expect(faults({ rate })).toEqual([{ pointer: '/rate/Amount', code: 'is_number', message }]);
  });

  it.each([[[{ Amount: 1, Currency: 'GBP' }]], [[]], ['1'], [1]])(
    'refuses %j where an object is needed',
    (rate) => {
      expect(codes({ rate })).toEqual(['not_an_object']);
    },
  );

  it('refuses a blank text where a text must not be blank', () => {
    expect(codes({ number: ' ' })).toEqual(['matches']);
    expect(codes({ number: null })).toEqual([]);
  });

  it('takes an empty list where ids are optional, and nothing but a list', () => {
    expect(codes({ divisionIds: [] })).toEqual([]);
    expect(codes({ divisionIds: ['division_1'] })).toEqual(['invalid_id']);
    for (const none of [{}, 'division_1', 7])
      expect(faults({ divisionIds: none })).toEqual([
        { pointer: '/divisionIds', code: 'is_array', message: 'divisionIds must be a list' },
      ]);
    expect(faults({ ids: [] }, Named)).toMatchObject([{ code: 'too_few' }]);
  });
});
