import type { Folded } from '#event-store/events';
import type { UnitOfWork } from '#event-store/unit-of-work';
import { newId } from '#kernel/ids';
import { givenReference } from '../records/record';
import { DocumentCollection, type DocumentCollectionState, rootOf } from './document-collection';

export {
  openCollection,
  placeQuestions,
  presentSubject,
  SubjectField,
  SubjectFilter,
  subjectQuestions,
} from './document-collection.subject';
export { DocumentCollection, type DocumentCollectionState, rootOf };

/** Creates the root collection of a subject. @throws DomainError `root_collection_taken` when another request creates it at once */
export function createRoot(work: UnitOfWork, subjectId: string): Folded<DocumentCollectionState> {
  const fields = { name: 'Documents', subjectId, parentId: null, isRoot: true };
  const data = { ...fields, ...givenReference(work.context, null) };
  return work.create(DocumentCollection, newId('documentcollection'), [
    { type: 'DocumentCollectionCreated', data },
  ]);
}
