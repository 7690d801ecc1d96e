import { ApiProperty } from '@nestjs/swagger';
import type { Folded } from '#event-store/events';
import { toUuid } from '#kernel/ids';
import { IdFilter, IdsFilter, ListQuery, SortFilter } from '#platform/http/input/list-query';
import { joinedText, nullableText, RecordView, recordView } from '../records/record';
import { foldedRow, type RecordList } from '../records/record-list';
import type { DocumentCollectionState } from './document-collection';
import { SubjectFilter } from './document-collection.subject';

export class DocumentCollectionView extends RecordView {
  @ApiProperty() name: string;
  @ApiProperty({ description: 'The client, matter or entity whose documents it holds.' })
  subjectId: string;
  @ApiProperty({ ...nullableText, description: 'The collection that contains this one; null: none.' })
  parentId: string | null;
  @ApiProperty({
    description:
      'Whether it is the root collection of its subject, which holds the documents that were created with a subjectId ' +
      'and no documentCollectionId. A subject has at most one.',
    example: false,
  })
  isRoot: boolean;
  @ApiProperty(joinedText) parentName?: string | null;
}

export function documentCollectionView(folded: Folded<DocumentCollectionState>): DocumentCollectionView {
  const { name, subjectId, parentId, isRoot } = folded.data;
  return Object.assign(recordView(folded), { name, subjectId, parentId, isRoot });
}

const sorts = { name: 'r.name', createdOn: 'r.created_on', updatedOn: 'r.updated_on' };

export class DocumentCollectionsQuery extends ListQuery {
  @IdsFilter('documentcollection')
  declare ids?: string[];

  @SubjectFilter('Only collections of this client, matter or entity.')
  subjectId?: string;

  @IdFilter('documentcollection', 'Only collections directly in this one.')
  parentId?: string;

  @SortFilter(Object.keys(sorts))
  declare sort?: string;
}

export const documentCollections: RecordList<DocumentCollectionsQuery, DocumentCollectionView> = {
  kind: 'documentcollection',
  projection: 'document-collections',
  joins: [
    {
      projection: 'document-collections',
      alias: 'p',
      on: 'r.parent_id',
      columns: { parent_name: 'name' },
    },
  ],
  sorts,
  order: 'name',
  filter({ subjectId, parentId }, where) {
    if (subjectId !== undefined) where('r.subject_id', '=', subjectId);
    if (parentId !== undefined) where('r.parent_id', '=', toUuid(parentId));
  },
  view: (row) =>
    Object.assign(documentCollectionView(foldedRow(documentCollections, row)), {
      parentName: row.parent_name as string | null,
    }),
};
