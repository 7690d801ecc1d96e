import { LRUCache } from 'lru-cache';
import type { Search, Usual } from './list-search';
import { type Ask, usualStatement } from './list-statements';

/** How long a result is kept. A word that becomes common or rare meanwhile is found more slowly, but is found. */
const REMEMBERED_MS = 60_000;
/** The total length of the cached queries. */
const MOST_CHARACTERS = 1_000_000;

/** A cache of how usual the words of queries are. Clients that page or poll repeat the same words, so a minute is enough. */
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
