import { PartialType } from '@nestjs/swagger';
import { IdField, TextField } from '#platform/http/input/fields';
import { RecordInput } from '../records/record';
import { SubjectField } from './document-collection.subject';

export class DocumentCollectionInput extends RecordInput {
  @TextField({ required: true, example: 'Correspondence' })
  name: string;

  @SubjectField({
    required: true,
    description: 'The client, matter or entity whose documents it holds. Cannot be changed later.',
    example: 'matter_0198c2f1a4b87c3d9e5f60718293a4b5',
  })
  subjectId: string;

  @IdField('documentcollection', {
    description:
      'The collection that contains this one. It must have the same subject. Collections can be nested up to 20 levels ' +
      'deep.',
  })
  parentId?: string | null;
}

export class DocumentCollectionPatch extends PartialType(DocumentCollectionInput, {
  skipNullProperties: false,
}) {}
