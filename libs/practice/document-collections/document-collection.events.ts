import type { SimpleEvent } from '../records/simple-record';

export interface DocumentCollectionFields {
  name: string;
  /** The client, matter or entity whose documents it holds; never changes. */
  subjectId: string;
  /** Id of the collection that contains this one, which has the same subject. */
  parentId: string | null;
  /** Whether it was created for documents that were given only a subject. */
  isRoot: boolean;
}

export type DocumentCollectionEvent = SimpleEvent<'DocumentCollection', DocumentCollectionFields>;

export const documentCollectionEvents = {
  DocumentCollectionCreated: [],
  DocumentCollectionUpdated: [],
  DocumentCollectionDeleted: [],
} satisfies Record<DocumentCollectionEvent['type'], []>;
