import { divisions } from '../divisions/division.queries';
import { matters } from '../matters/matter.queries';
import type { Search } from './list-search';
import type { Ask } from './list-statements';
import { UsualWords } from './usual-words';

const search: Search = { list: matters, tenantId: 1, query: { keywords: 'Sale' }, words: ['sale'] };

/** Usual words of a database that gives these answers, one after the other, when it is asked if words are common. */
function asked(...common: boolean[]) {
  const clock = { time: 1_000, now: () => clock.time };
  const words = new UsualWords(clock);
  const ask = jest.fn(async () => [{ common: common.shift(), hits: null }]);
  const of = async (more: Partial<Search> = {}) =>
    (await words.of({ ...search, ...more }, ask as unknown as Ask)).common;
  return { clock, ask, of };
}

describe('whether words are common in the latest records', () => {
  it('is asked once for all pages, orders and spellings of the words', async () => {
    const { ask, of } = asked(true, false);
    expect(await of()).toBe(true);
    expect(await of({ query: { keywords: 'sale', pageIndex: 1, pageSize: 9, sort: '-title' } })).toBe(true);
    expect(await of({ query: { keywords: ' SALE ', includeTotalCount: true } })).toBe(true);
    expect(ask).toHaveBeenCalledTimes(1);
  });

  it.each<[string, Partial<Search>]>([
    ['tenant', { tenantId: 2 }],
    ['list', { list: divisions }],
    ['filter', { query: { keywords: 'Sale', updatedSince: '2026-01-01T00:00:00Z' } }],
    ['word', { words: ['sale', 'flat'] }],
  ])('is asked again for another %s', async (_, other) => {
    const { of } = asked(true, false);
    expect([await of(), await of(other), await of()]).toEqual([true, false, true]);
  });

  it('is asked again after a minute', async () => {
    const { clock, of } = asked(true, false);
    expect(await of()).toBe(true);
    clock.time += 59_000;
    expect(await of()).toBe(true);
    clock.time += 2_000;
    expect(await of()).toBe(false);
  });
});
