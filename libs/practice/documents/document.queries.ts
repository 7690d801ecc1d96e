import { ApiProperty } from '@nestjs/swagger';
import type { Folded } from '#event-store/events';
import { toUuid } from '#kernel/ids';
import { IdFilter, IdsFilter, ListQuery, SortFilter } from '#platform/http/input/list-query';
import { SubjectFilter } from '../document-collections/document-collection.lookup';
import { joinedText, RecordView, recordView } from '../records/record';
import { foldedRow, type RecordList } from '../records/record-list';
import type { DocumentState, DocumentVersion } from './document';

const sha256 = {
  description: 'The SHA-256 of the bytes, in hexadecimal digits.',
  example: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
};
const size = { type: 'integer', description: 'The size in bytes.', example: 48213 } as const;

/** A version of a document. */
export class DocumentVersionView {
  @ApiProperty({
    type: 'integer',
    description: 'The number of the version, from 1. It is the `version` of a download.',
    example: 1,
  })
  number: number;
  @ApiProperty({ example: 'Deed of sale.pdf' }) fileName: string;
  @ApiProperty({ example: 'application/pdf', description: 'The media type (RFC 9110).' }) contentType: string;
  @ApiProperty(size) size: number;
  @ApiProperty(sha256) sha256: string;
  @ApiProperty({ format: 'date-time', description: 'When the version was stored.' })
  createdOn: string;
  @ApiProperty({ example: 'integration:demo-client', description: 'Who stored the version.' })
  createdBy: string;
}

export class DocumentView extends RecordView {
  @ApiProperty({ example: 'Deed of sale.pdf' }) fileName: string;
  @ApiProperty({ example: 'application/pdf', description: 'The media type (RFC 9110).' }) contentType: string;
  @ApiProperty() documentCollectionId: string;
  @ApiProperty({
    description:
      'The client, matter or entity that the document is about. It is the subject of its collection.',
  })
  subjectId: string;
  @ApiProperty(size) size: number;
  @ApiProperty(sha256) sha256: string;
  @ApiProperty({
    type: [DocumentVersionView],
    description: 'All versions of the document, the present one last.',
  })
  versions: DocumentVersionView[];
  @ApiProperty(joinedText) documentCollectionName?: string | null;
}

export function documentView(folded: Folded<DocumentState>): DocumentView {
  const { fileName, contentType, documentCollectionId, subjectId, versions } = folded.data;
  const present = versions.at(-1)!;
  return Object.assign(recordView(folded), {
    fileName,
    contentType,
    documentCollectionId,
    subjectId,
    size: present.size,
    sha256: present.sha256,
    versions: versions.map(versionView),
  });
}

function versionView({ key: _, ...shown }: DocumentVersion): DocumentVersionView {
  return shown;
}

const sorts = {
  fileName: 'r.file_name',
  size: 'r.size',
  createdOn: 'r.created_on',
  updatedOn: 'r.updated_on',
};

export class DocumentsQuery extends ListQuery {
  @IdsFilter('document')
  declare ids?: string[];

  @IdFilter('documentcollection', 'Only documents in this collection.')
  documentCollectionId?: string;

  @SubjectFilter('Only documents about this client, matter or entity.')
  subjectId?: string;

  @SortFilter(Object.keys(sorts))
  declare sort?: string;
}

export const documents: RecordList<DocumentsQuery, DocumentView> = {
  kind: 'document',
  projection: 'documents',
  joins: [
    {
      projection: 'document-collections',
      alias: 'c',
      on: 'r.collection_id',
      columns: { collection_name: 'name' },
    },
  ],
  sorts,
  order: 'fileName',
  filter({ documentCollectionId, subjectId }, where) {
    if (documentCollectionId !== undefined) where('r.collection_id', '=', toUuid(documentCollectionId));
    if (subjectId !== undefined) where('r.subject_id', '=', subjectId);
  },
  view: (row) =>
    Object.assign(documentView(foldedRow(documents, row)), {
      documentCollectionName: row.collection_name as string | null,
    }),
};
