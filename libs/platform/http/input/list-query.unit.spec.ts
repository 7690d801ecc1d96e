import type { DomainError } from '#kernel/errors';
import { InstantFilter } from './list-query';
import { RequestPipe } from './request.pipe';

class Query {
  @InstantFilter('From then on.')
  from?: string;
}

function queryOf(from: string): Query {
  return new RequestPipe().transform({ from }, { type: 'query', metatype: Query }) as Query;
}

function refusal(from: string): string | undefined {
  try {
    queryOf(from);
    return undefined;
  } catch (error) {
    return (error as DomainError).errors[0].code;
  }
}

describe('a filter by an instant', () => {
  it.each([
    '2025-06-12',
    '2025-06-12T10:00:00+14:00',
    '2025-06-12T10:00:00.123456789Z',
    '2025-06-12T10:00:00.000000+0000',
    '0001-01-01',
    '0001-01-01T00:00:00Z',
    '9999-12-31',
  ])('takes %s', (from) => {
    expect(refusal(from)).toBeUndefined();
  });

  it.each(['0000-01-01', '0000-12-31T23:59:59Z', '2025-02-30', '2025-13-01', '2025-06-12T10:00:00'])(
    'refuses %s, which has a year or day that does not exist, or no offset',
    (from) => {
      expect(refusal(from)).toBeDefined();
    },
  );

  it.each([
    ['2025-06-12T10:00:00.000000+0000', '2025-06-12T10:00:00.000000+00:00'],
    ['2025-06-12T10:00:00-0930', '2025-06-12T10:00:00-09:30'],
    ['2025-06-12T10:00:00+01:00', '2025-06-12T10:00:00+01:00'],
  ])('reads %s as %s: strftime writes an offset without a colon', (from, read) => {
    expect(queryOf(from).from).toBe(read);
  });

  it.each(['2025-06-12T10:00:00+01', '2025-06-12T10:00:00+2400', '2025-06-120000'])('refuses %s', (from) => {
    expect(refusal(from)).toBe('matches');
  });
});
