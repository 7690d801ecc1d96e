import type { Folded } from '#event-store/events';
import type { UnitOfWork } from '#event-store/unit-of-work';
import { newId } from '#kernel/ids';
import { givenReference } from '../records/record';
import { DocumentCollection, type DocumentCollectionState, rootOf } from './document-collection';

export {
  presentSubject,
  SubjectField,
  SubjectFilter,
  subjectQuestions,
} from './document-collection.subject';
export { DocumentCollection, type DocumentCollectionState, rootOf };

/** The collection of documents that were given a subject alone; two of one subject made at once: `root_collection_taken`. */
export function createRoot(work: UnitOfWork, subjectId: string): Folded<DocumentCollectionState> {
  const fields = { name: 'Documents', subjectId, parentId: null, isRoot: true };
  const data = { ...fields, ...givenReference(work.context, null) };
  return work.create(DocumentCollection, newId('documentcollection'), [
    { type: 'DocumentCollectionCreated', data },
  ]);
}
