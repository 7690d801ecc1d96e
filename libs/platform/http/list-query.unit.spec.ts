import type { DomainError } from '#kernel/errors';
import { InstantFilter } from './list-query';
import { RequestPipe } from './request.pipe';

class Query {
  @InstantFilter('From then on.')
  from?: string;
}

function refusal(from: string): string | undefined {
  try {
    new RequestPipe().transform({ from }, { type: 'query', metatype: Query });
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
    '0001-01-01',
    '0001-01-01T00:00:00Z',
    '9999-12-31',
  ])('takes %s', (from) => {
    expect(refusal(from)).toBeUndefined();
  });

  it.each(['0000-01-01', '0000-12-31T23:59:59Z', '2025-02-30', '2025-13-01', '2025-06-12T10:00:00'])(
    'refuses %s: PostgreSQL has no year 0, and the calendar no such day',
    (from) => {
      expect(refusal(from)).toBeDefined();
    },
  );
});
