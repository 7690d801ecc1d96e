import type { SimpleEvent } from '../records/simple-record';

export interface DocumentCollectionFields {
  name: string;
  /** The client, matter or entity whose documents it holds; never changes. */
  subjectId: string;
  /** Id of the collection that this one lies in, of the same subject. */
  parentId: string | null;
  /** Made for documents that were given a subject alone. */
  isRoot: boolean;
}

export type DocumentCollectionEvent = SimpleEvent<'DocumentCollection', DocumentCollectionFields>;

export const documentCollectionEvents = {
  DocumentCollectionCreated: [],
  DocumentCollectionUpdated: [],
  DocumentCollectionDeleted: [],
} satisfies Record<DocumentCollectionEvent['type'], []>;
