import { column, reference, stateTable } from '../records/state-table';
import { DocumentCollection, type DocumentCollectionState } from './document-collection';

export const documentCollectionsProjection = stateTable(DocumentCollection, {
  name: 'document-collections',
  version: 1,
  columns: {
    name: column<DocumentCollectionState>('text', ({ name }) => name),
    subject_id: column<DocumentCollectionState>('text', ({ subjectId }) => subjectId),
    parent_id: reference<DocumentCollectionState>(({ parentId }) => parentId),
    // The subject of a root collection, by which that is looked up.
    root_of: reference<DocumentCollectionState>(({ isRoot, isDeleted, subjectId }) =>
      isRoot && !isDeleted ? subjectId : null,
    ),
  },
  words: ({ name }) => [name],
});
