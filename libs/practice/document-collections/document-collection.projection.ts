import { column, reference, stateTable } from '../records/state-table';
import { DocumentCollection, type DocumentCollectionState } from './document-collection';

export const documentCollectionsProjection = stateTable(DocumentCollection, {
  name: 'document-collections',
  version: 1,
  columns: {
    name: column<DocumentCollectionState>('text', ({ name }) => name),
    subject_id: column<DocumentCollectionState>('text', ({ subjectId }) => subjectId),
    parent_id: reference<DocumentCollectionState>(({ parentId }) => parentId),
    // Of its subject, which finds its root collection by it.
    root_of: reference<DocumentCollectionState>(({ isRoot, isDeleted, subjectId }) =>
      isRoot && !isDeleted ? subjectId : null,
    ),
  },
  words: ({ name }) => [name],
});
