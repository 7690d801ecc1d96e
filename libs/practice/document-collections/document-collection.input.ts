import { PartialType } from '@nestjs/swagger';
import { IdField, TextField } from '#platform/http/input/fields';
import { RecordInput } from '../records/record';
import { SubjectField } from './document-collection.subject';

export class DocumentCollectionInput extends RecordInput {
  @TextField({ required: true, example: 'Correspondence' })
  name: string;

  @SubjectField({
    required: true,
    description: 'The client, matter or entity whose documents it holds. Never changes.',
    example: 'matter_0198c2f1a4b87c3d9e5f60718293a4b5',
  })
  subjectId: string;

  @IdField('documentcollection', {
    description: 'Of the collection that it lies in, of the same subject; at most 20 lie in each other.',
  })
  parentId?: string | null;
}

export class DocumentCollectionPatch extends PartialType(DocumentCollectionInput, {
  skipNullProperties: false,
}) {}
