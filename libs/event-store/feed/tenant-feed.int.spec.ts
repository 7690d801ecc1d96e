import { randomBytes } from 'node:crypto';
import { createContext, createTestStore, type TestStore } from '../../../test/support/store';
import { waitFor } from '../../../test/support/wait-for';
import { comparePositions, START } from '../position';
import { openParent } from '../testing/commands';
import { endsOf } from '../testing/read-feed';
import { Parent } from '../testing/streams';
import { TenantFeed } from './tenant-feed';

describe('the feed of a tenant', () => {
  let store: TestStore;
  let feed: TenantFeed;

  beforeEach(async () => {
    store = await createTestStore([Parent]);
    feed = new TenantFeed(store.writes, store.codec);
  });
  afterEach(() => store.close());

  it('gives only a few long events at a time, and goes on after them without a gap', async () => {
    const context = await createContext(store);
    const { partition } = context.tenant;
    const other = await createContext(store);
    // Names of random letters, and of one repeated letter, which PostgreSQL stores compressed.
    const chance = Array.from({ length: 70 }, () => randomBytes(180_000).toString('base64'));
    const names = ['short', ...chance, ...Array(20).fill('x'.repeat(240_000)), 'last'];
    for (const name of names) await openParent(store.store, context, { name });
    await openParent(store.store, { ...other, tenant: { ...other.tenant, partition } });
    const end = (await endsOf(store)).get(partition)!;
    await waitFor(
      async () => comparePositions((await store.feed.heads()).get(partition) ?? START, end) === 0,
      {
        description: 'the feed to show all events',
      },
    );
    const pages: string[][] = [];
    let after = START;
    for (let more = true; more; ) {
      const page = await feed.read(context.tenant, after, 1000);
      pages.push(page.events.map(({ event }) => (event.data as { name: string }).name));
      ({ reached: after, more } = page);
    }
    expect(pages.flat().map(({ length }) => length)).toEqual(names.map(({ length }) => length));
    expect(pages.length).toBeGreaterThan(1);
    for (const page of pages) expect(page.join('').length).toBeLessThan(20_000_000);
    expect(comparePositions(after, end)).toBe(0);
  });
});
