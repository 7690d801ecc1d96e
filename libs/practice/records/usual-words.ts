import { LRUCache } from 'lru-cache';
import type { Search, Usual } from './list-search';
import { type Ask, usualStatement } from './list-statements';

/** How long a word that has become common is looked for as a rare one, or the other way round: it is found more slowly, not less. */
const REMEMBERED_MS = 60_000;
/** Characters of all queries that are remembered together. */
const MOST_CHARACTERS = 1_000_000;

/** What the latest records say of the words of queries. It is asked once a minute: who pages or polls asks for the same words again and again. */
export class UsualWords {
  private readonly known: LRUCache<string, Usual>;

  /** @param clock in milliseconds */
  constructor(clock: { now(): number } = performance) {
    this.known = new LRUCache({
      ttl: REMEMBERED_MS,
      maxSize: MOST_CHARACTERS,
      sizeCalculation: (_, key) => key.length,
      ttlResolution: 0,
      perf: clock,
    });
  }

  async of(search: Search, ask: Ask): Promise<Usual> {
    const { keywords, pageIndex, pageSize, sort, includeTotalCount, ...filters } = search.query;
    const key = JSON.stringify([search.tenantId, search.list.kind, search.words, filters]);
    const known = this.known.get(key);
    if (known) return known;
    const [usual] = await ask<Usual>(usualStatement(search));
    this.known.set(key, usual);
    return usual;
  }
}
