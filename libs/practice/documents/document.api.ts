import { applyDecorators, type Type } from '@nestjs/common';
import {
  ApiBody,
  ApiConsumes,
  ApiExtraModels,
  ApiHeader,
  ApiNotModifiedResponse,
  ApiOkResponse,
  ApiOperation,
  ApiResponse,
  getSchemaPath,
} from '@nestjs/swagger';
import { TakesUpload } from '#platform/http/body/upload';

/** Marks and describes a route that takes uploads. @param form the class with the form's fields */
export function ApiUpload(form: Type): MethodDecorator {
  return applyDecorators(
    TakesUpload(),
    ApiExtraModels(form),
    ApiConsumes('multipart/form-data'),
    ApiBody({
      required: true,
      description:
        'A form with the file and its fields, in any order. Or the bytes themselves with their own Content-Type, any ' +
        'other than `multipart/form-data`, and the fields as parameters.',
      schema: { $ref: getSchemaPath(form) },
    }),
    ApiHeader({
      name: 'Content-Digest',
      required: false,
      description: '`sha-256=:<base64>:` of the body (RFC 9530): another body is refused.',
    }),
  );
}

const header = (description: string) => ({ description, schema: { type: 'string' } });

export function ApiDownload(): MethodDecorator {
  const asked = {
    Range: '`bytes=0-1023`: that part alone, as 206 with `Content-Range`.',
    'If-Range': 'An ETag: the part only if these are still the bytes, else all of them.',
    'If-None-Match': 'An ETag: 304 if these are still the bytes.',
  };
  const type =
    "The type is the document's own, or `application/octet-stream` where that could do harm in a browser.";
  const content = { '*/*': { schema: { type: 'string', format: 'binary' } } };
  const headers = {
    ETag: header('The SHA-256 of the bytes.'),
    'Content-Disposition': header('`attachment`, with the file name (RFC 6266).'),
    'Accept-Ranges': header('`bytes`.'),
    'Repr-Digest': header('The SHA-256 of all bytes (RFC 9530).'),
  };
  return applyDecorators(
    ApiOperation({ summary: 'Download the bytes of a document' }),
    ...Object.entries(asked).map(([name, description]) => ApiHeader({ name, description, required: false })),
    ApiOkResponse({ description: `The bytes. ${type}`, content, headers }),
    ApiResponse({
      status: 206,
      description: `The part that \`Range\` asks for. ${type}`,
      content,
      headers: { ...headers, 'Content-Range': header('Which part, and of how many bytes.') },
    }),
    ApiNotModifiedResponse({ description: 'The bytes are those of `If-None-Match`.' }),
  );
}
