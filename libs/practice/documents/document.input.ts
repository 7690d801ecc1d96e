import { ApiProperty, OmitType, PartialType, PickType } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { Matches } from 'class-validator';
import { IdField, TextField } from '#platform/http/input/fields';
import { IdFilter, TextFilter } from '#platform/http/input/list-query';
import { SubjectField, SubjectFilter } from '../document-collections/document-collection.lookup';
import { RecordInput } from '../records/record';

/** A plain file name: without folders, and without characters that are special to headers or terminals. */
const FILE_NAME = /^(?!\.{1,2}$)[^/\\\p{Cc}\p{Cs}\u2028\u2029]*$/u;
/** @see RFC 9110 section 8.3.1 */
const TOKEN = "[\\w!#$%&'*+.^`|~-]+";
const CONTENT_TYPE = new RegExp(`^${TOKEN}/${TOKEN}( *; *${TOKEN}=(${TOKEN}|"[^"\\\\\\x00-\\x1f\\x7f]*"))*$`);

const FileNameField = (): PropertyDecorator => (target, property) => {
  TextField({
    required: true,
    max: 255,
    example: 'Deed of sale.pdf',
    description: 'A name without slashes, backslashes and control characters.',
  })(target, property);
  Matches(FILE_NAME, {
    message: 'fileName must be a name without slashes, backslashes and control characters',
  })(target, property);
};

const ContentTypeField = (): PropertyDecorator => (target, property) => {
  TextField({
    max: 255,
    example: 'application/pdf',
    description:
      'The media type of the file. Default in a form: the Content-Type of the file, or text/plain if the form gives ' +
      'none (RFC 7578). Null stands for application/octet-stream.',
  })(target, property);
  Matches(CONTENT_TYPE, { message: 'contentType must be a media type such as application/pdf' })(
    target,
    property,
  );
};

/** The fields of a new document, apart from its bytes. */
export class DocumentInput extends RecordInput {
  @FileNameField()
  fileName: string;

  @ContentTypeField()
  contentType?: string | null;

  @IdField('documentcollection', {
    description: 'The collection of the document. Required unless there is a subjectId.',
  })
  documentCollectionId?: string | null;

  @SubjectField({
    description:
      'The client, matter or entity that the document is about. Without a documentCollectionId, the document is put ' +
      'into the root collection of this subject.',
  })
  subjectId?: string | null;

  @TextField({
    description: 'The SHA-256 of the bytes, in hexadecimal digits. Other bytes are refused.',
    max: 64,
    pattern: { expression: /^[0-9a-fA-F]{64}$/, form: '64 hexadecimal digits' },
  })
  @Transform(({ value }) => (typeof value === 'string' ? value.toLowerCase() : value))
  sha256?: string | null;
}

export class DocumentVersionInput extends PickType(DocumentInput, ['fileName', 'contentType', 'sha256']) {}

class DocumentChange extends OmitType(DocumentInput, ['documentCollectionId', 'subjectId', 'sha256']) {
  @IdField('documentcollection', {
    required: true,
    description: 'Moves the document to this collection, which may have another subject.',
  })
  documentCollectionId: string;
}

export class DocumentPatch extends PartialType(DocumentChange, { skipNullProperties: false }) {}

const FIELD = 'The value of the form field with this name.';

/** The parameters that accompany a body of raw bytes. */
export class DocumentVersionQuery {
  @TextFilter(`${FIELD} Required when the body is the bytes of the file alone.`, 255)
  fileName?: string;

  @TextFilter(`${FIELD} When the body is the bytes of the file alone, the default is its Content-Type.`, 255)
  contentType?: string;

  @TextFilter(FIELD, 64)
  sha256?: string;
}

export class DocumentUploadQuery extends DocumentVersionQuery {
  @IdFilter('documentcollection', FIELD)
  documentCollectionId?: string;

  @SubjectFilter(FIELD)
  subjectId?: string;

  @TextFilter(FIELD, 100)
  externalReference?: string;
}

const file = { type: 'string', format: 'binary', description: 'The bytes, at most 100 MiB.' } as const;

/** The description of a form. */
export class DocumentForm extends PartialType(DocumentInput) {
  @ApiProperty({ ...file, required: true })
  file: string;
}

export class DocumentVersionForm extends PartialType(DocumentVersionInput) {
  @ApiProperty({ ...file, required: true })
  file: string;
}
