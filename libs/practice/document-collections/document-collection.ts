import type { Folded } from '#event-store/events';
import type { NaturalKey } from '#kernel/decider';
import { conflict, invalid } from '#kernel/errors';
import type { Id } from '#kernel/ids';
import type { RecordState } from '../records/record';
import { simpleRecord } from '../records/simple-record';
import { type DocumentCollectionFields, documentCollectionEvents } from './document-collection.events';

export interface DocumentCollectionState extends RecordState, DocumentCollectionFields {}

/** Kind of the link from a collection to the one that contains it. */
export const PARENT = 'documentcollection_parent';
/** The maximum depth of nested collections, from one without a parent to the lowest. */
export const MAX_LEVELS = 20;

/** The natural key of a subject's root collection. */
export function rootOf(subjectId: string): NaturalKey {
  return { kind: 'root_collection', key: subjectId };
}

export const DocumentCollection = simpleRecord<DocumentCollectionState>({
  kind: 'documentcollection',
  name: 'DocumentCollection',
  events: documentCollectionEvents,
  links: ({ subjectId, parentId }) => [
    { kind: 'documentcollection_subject', target: subjectId },
    ...(parentId ? [{ kind: PARENT, target: parentId }] : []),
  ],
  keys: ({ subjectId, isRoot }) => (isRoot ? [rootOf(subjectId)] : []),
});

/** A collection that is to be placed into another. */
export interface Placement {
  /** Id of the collection that moves; undefined for a new one. */
  id?: Id;
  subjectId: string;
  /** The collection that is to contain it, the one that contains that, and so on. */
  above: readonly Folded<DocumentCollectionState>[];
  /** The number of levels that move: 1 for a collection that contains no others. */
  levels: number;
}

/** Checks a placement. @throws DomainError `subject_mismatch`, `collection_in_itself`, `collections_too_deep` (422) */
export function requirePlace({ id, subjectId, above, levels }: Placement): void {
  const field = 'parentId';
  if (above[0].data.subjectId !== subjectId)
    throw invalid('subject_mismatch', `${field}: it is a collection of another subject.`, field);
  if (above.some((collection) => collection.id === id))
    throw invalid('collection_in_itself', `${field}: a collection cannot lie in itself.`, field);
  if (above.length + levels > MAX_LEVELS)
    throw invalid(
      'collections_too_deep',
      `${field}: collections can be nested at most ${MAX_LEVELS} levels deep.`,
      field,
    );
}

/** Refuses to move a root collection, where the documents of its subject are looked for. @throws DomainError `root_collection` (409) */
export function requireMovable({ isRoot }: DocumentCollectionState): void {
  if (isRoot)
    throw conflict(
      'root_collection',
      'The root collection of a subject cannot be placed in another collection.',
    );
}
