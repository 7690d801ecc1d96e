import * as fc from 'fast-check';
import { DomainError } from '#kernel/errors';
import { newId, toUuid } from '#kernel/ids';
import type { RequestContext } from '#platform/request-context';
import { createContext, createTestStore, openStore, type TestStore } from '../../../test/support/store';
import { at } from '../load';
import { comparePositions } from '../position';
import { endsOf, readFeed } from '../testing/read-feed';
import { Parent, parentOpened, parentRenamed } from '../testing/streams';
import { Contiguity } from './contiguity';

interface Step {
  /** The one of the two processes that runs the command. */
  process: 0 | 1;
  /** The streams that the command changes, or opens if they do not exist. */
  streams: number[];
  /** A stream that the command relies on. */
  relies: number | null;
  events: number;
  /** Number of turns of the event loop to wait before the command. */
  pause: number;
}

const STREAMS = 4;
const stream = fc.integer({ min: 0, max: STREAMS - 1 });
const step: fc.Arbitrary<Step> = fc.record({
  process: fc.constantFrom<0 | 1>(0, 1),
  streams: fc.uniqueArray(stream, { minLength: 1, maxLength: 2 }),
  relies: fc.option(stream),
  events: fc.integer({ min: 1, max: 3 }),
  pause: fc.integer({ min: 0, max: 20 }),
});

describe('any interleaving of commands through two processes', () => {
  let store: TestStore;
  let other: ReturnType<typeof openStore>;
  beforeAll(async () => {
    store = await createTestStore([Parent]);
    other = openStore(store.url, [Parent]);
  });
  afterAll(async () => {
    await other.close();
    await store.close();
  });

  async function run(context: RequestContext, ids: ReturnType<typeof newId<'client'>>[], step: Step) {
    for (let turn = 0; turn < step.pause; turn++) await new Promise(setImmediate);
    const { store: opened } = [store, other][step.process];
    return opened.execute(context, async (work) => {
      const asked = step.relies === null ? step.streams : [...new Set([...step.streams, step.relies])];
      const found = await work.load(
        Object.fromEntries(asked.map((index) => [index, at(Parent, ids[index])])),
      );
      const events = Array.from({ length: step.events }, (_, n) => parentRenamed(`${n}`));
      const written = step.streams.map((index) => {
        const before = found[index];
        return before
          ? work.change(Parent, before, events)
          : work.create(Parent, ids[index], [parentOpened(), ...events]);
      });
      return written[0];
    });
  }

  it('leaves versions contiguous, states equal to their events, and the feed in order', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 25 }), async (steps) => {
        const context = await createContext(store);
        const ids = Array.from({ length: STREAMS }, () => newId('client'));
        const outcomes = await Promise.allSettled(steps.map((one) => run(context, ids, one)));

        const acknowledged = new Set<string>();
        for (const outcome of outcomes) {
          if (outcome.status === 'fulfilled') {
            for (const { id, version } of outcome.value.records) {
              // No two commands were told that they wrote the same version of the same stream.
              expect(acknowledged).not.toContain(`${id} ${version}`);
              acknowledged.add(`${id} ${version}`);
            }
          } else {
            expect(outcome.reason).toBeInstanceOf(DomainError);
            expect(outcome.reason.code).toBe('concurrent_update');
          }
        }

        const { [context.tenant.partition]: head } = Object.fromEntries(await endsOf(store));
        const feed = await readFeed(store.feed, context.tenant.partition, head);
        new Contiguity().check(feed);
        for (const id of ids) {
          const events = await store.loader.page(context.tenant.id, toUuid(id), { after: 0, limit: 1_000 });
          expect(events.map(({ version }) => version)).toEqual(events.map((_, index) => index + 1));
          const inFeed = feed.filter(({ streamId }) => streamId === toUuid(id));
          expect(inFeed.map(({ version }) => version)).toEqual(events.map(({ version }) => version));
          for (let index = 1; index < events.length; index++)
            expect(comparePositions(events[index - 1].at, events[index].at)).toBeLessThan(0);
          const [state] = await store.loader.load(context.tenant.id, [at(Parent, id)]);
          expect(state).toEqual(await store.loader.foldEvents(Parent, context.tenant.id, toUuid(id)));
        }
        for (const entry of acknowledged) {
          const [id, version] = entry.split(' ');
          expect(
            feed.some((event) => event.streamId === toUuid(id) && event.version === Number(version)),
          ).toBe(true);
        }
      }),
      { numRuns: 40 },
    );
  });
});
