import { column, reference, stateTable } from '../records/state-table';
import { Document, type DocumentState } from './document';

export const documentsProjection = stateTable(Document, {
  name: 'documents',
  version: 1,
  columns: {
    file_name: column<DocumentState>('text', ({ fileName }) => fileName),
    collection_id: reference<DocumentState>(({ documentCollectionId }) => documentCollectionId),
    subject_id: column<DocumentState>('text', ({ subjectId }) => subjectId),
    size: column<DocumentState>('bigint', ({ versions }) => versions.at(-1)!.size),
  },
  words: ({ fileName }) => [fileName],
});
