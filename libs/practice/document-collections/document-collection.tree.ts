import type { Folded } from '#event-store/events';
import { along, at, counter, linkedTo, via } from '#event-store/load';
import type { UnitOfWork } from '#event-store/unit-of-work';
import { DocumentCollection, type DocumentCollectionState, MAX_LEVELS, PARENT } from './document-collection';

type Collection = Folded<DocumentCollectionState>;

/**
 * Loads a collection, the one that contains it, and so on, three in a round trip. All of them become guards: of two moves that
 * together would form a circle, each has read what the other writes.
 */
export async function pathFrom(work: UnitOfWork, id: string): Promise<Collection[]> {
  const path: Collection[] = [];
  for (let next: string | null = id; next; ) {
    const found: Collection[] = await threeFrom(work, next);
    path.push(...found);
    next = found.at(-1)?.data.parentId ?? null;
  }
  return path;
}

async function threeFrom(work: UnitOfWork, id: string): Promise<Collection[]> {
  const { own, parent, grandparent } = await work.load({
    own: at(DocumentCollection, id),
    parent: via(DocumentCollection, id, 'parentId'),
    grandparent: along(DocumentCollection, id, ['parentId', 'parentId']),
  });
  return [own, parent, grandparent].filter((one) => one !== undefined);
}

/**
 * Advances a counter of the subject, so that of two collections that are placed at once the later one is decided again and
 * sees what the other has added below it: adding to a collection does not change that collection. Call before `levelsFrom`.
 */
export async function countPlacing(work: UnitOfWork, subjectId: string): Promise<void> {
  const placed = `documentcollections ${subjectId}`;
  const { places } = await work.load({ places: counter(placed) });
  work.count(placed, places, places + 1);
}

/** The number of levels of a collection and those within it. Counting stops beyond the maximum. */
export async function levelsFrom(work: UnitOfWork, id: string): Promise<number> {
  let levels = 1;
  for (let ids = [id]; levels <= MAX_LEVELS; levels++) {
    const asked = ids.map((each) => [each, linkedTo(DocumentCollection, each, [PARENT])] as const);
    const below = Object.values(await work.load(Object.fromEntries(asked))).flat();
    if (below.length === 0) break;
    ids = below.map((collection) => collection.id);
  }
  return levels;
}
