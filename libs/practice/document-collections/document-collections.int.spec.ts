import * as fc from 'fast-check';
import { DomainError } from '#kernel/errors';
import { toId } from '#kernel/ids';
import type { RequestContext } from '#platform/request-context';
import { createTestStore, openStore, type TestStore } from '../../../test/support/store';
import { definitions } from '../areas';
import { CreateEntity, CreateEntityHandler } from '../entities/entity.commands';
import { createFirm } from '../testing/firm';
import { MAX_LEVELS } from './document-collection';
import {
  CreateDocumentCollection,
  CreateDocumentCollectionHandler,
  UpdateDocumentCollection,
  UpdateDocumentCollectionHandler,
} from './document-collection.commands';

let store: TestStore;
/** Another process on the same database. */
let other: ReturnType<typeof openStore>;
let context: RequestContext;
let subjectId: string;

beforeAll(async () => {
  store = await createTestStore(definitions);
  other = openStore(store.url, definitions);
  context = await createFirm(store);
  const command = new CreateEntity(context, { entityType: 'Organisation', name: 'Acme' });
  subjectId = (await new CreateEntityHandler(store.store).execute(command)).record.id;
});
afterAll(async () => {
  await other.close();
  await store.close();
});

async function create(parentId: string | null = null, by: Pick<TestStore, 'store'> = store): Promise<string> {
  const command = new CreateDocumentCollection(context, { name: 'x', subjectId, parentId });
  return (await new CreateDocumentCollectionHandler(by.store).execute(command)).record.id;
}
const move = (id: string, parentId: string | null, by: Pick<TestStore, 'store'> = store) =>
  new UpdateDocumentCollectionHandler(by.store).execute(
    new UpdateDocumentCollection(context, id, { parentId }),
  );

/** What each collection lies in. */
async function parents(): Promise<Map<string, string | null>> {
  const { rows } = await store.writes.pool.query(
    `select stream_id, state -> 'data' ->> 'parentId' as parent from event_store.streams where kind = 'documentcollection'`,
  );
  return new Map(rows.map(({ stream_id, parent }) => [toId('documentcollection', stream_id), parent]));
}

it('collections never contain themselves, whatever is moved at once', async () => {
  const ids: string[] = [];
  for (let count = 0; count < 7; count++) ids.push(await create());
  const one = fc.record({ what: fc.nat(6), into: fc.option(fc.nat(6)) });
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(one, { minLength: 2, maxLength: 5 }), { maxLength: 4 }),
      async (rounds) => {
        for (const moves of rounds) {
          const outcomes = await Promise.allSettled(
            moves.map(({ what, into }, index) =>
              move(ids[what], into === null ? null : ids[into], index % 2 === 0 ? store : other),
            ),
          );
          for (const outcome of outcomes) {
            if (outcome.status === 'fulfilled') continue;
            expect(outcome.reason).toBeInstanceOf(DomainError);
            expect(['collection_in_itself', 'concurrent_update']).toContain(outcome.reason.code);
          }
          const above = await parents();
          for (const id of ids) {
            let steps = 0;
            for (let at: string | null = id; at; at = above.get(at) ?? null)
              expect(steps++).toBeLessThan(ids.length);
          }
        }
      },
    ),
    { numRuns: 12 },
  );
});

it('of two simultaneous moves that together would make a circle, only one succeeds', async () => {
  const [a, b] = [await create(), await create()];
  const [lowA, lowB] = [await create(await create(a)), await create(await create(b))];
  const outcomes = await Promise.allSettled([move(a, lowB), move(b, lowA, other)]);
  expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
});

it('the limit of levels counts the collections below the one that moves', async () => {
  let lowest = await create();
  for (let level = 2; level <= 18; level++) lowest = await create(lowest);
  const branch = await create();
  const below = await create(branch);
  await move(branch, lowest);
  await expect(create(below)).rejects.toMatchObject({ code: 'collections_too_deep' });
  await move(branch, null);
  await create(below);
  await expect(move(branch, lowest)).rejects.toMatchObject({ code: 'collections_too_deep' });
  expect(MAX_LEVELS).toBe(20);
});

it.each(['is made', 'is moved'])('a move counts what %s below the collection meanwhile', async (how) => {
  let lowest = await create();
  for (let level = 2; level <= 18; level++) lowest = await create(lowest);
  const [branch, pair] = [await create(), await create()];
  const below = await create(branch);
  await create(pair);
  const append = store.appender.append.bind(store.appender);
  jest.spyOn(store.appender, 'append').mockImplementationOnce(async (job) => {
    await (how === 'is made' ? create(below, other) : move(pair, branch, other));
    return append(job);
  });
  await expect(move(branch, lowest)).rejects.toMatchObject({ code: 'collections_too_deep' });
});
