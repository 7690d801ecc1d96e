import { applyDecorators, type Type } from '@nestjs/common';
import {
  ApiBody,
  ApiConsumes,
  ApiExtraModels,
  ApiHeader,
  ApiNotModifiedResponse,
  ApiOkResponse,
  ApiOperation,
  getSchemaPath,
} from '@nestjs/swagger';
import { TakesUpload } from '#platform/http/upload';

/** A route that takes bytes, and how that is described. @param form its fields */
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
  return applyDecorators(
    ApiOperation({ summary: 'Download the bytes of a document' }),
    ...Object.entries(asked).map(([name, description]) => ApiHeader({ name, description, required: false })),
    ApiOkResponse({
      description:
        'The bytes. Their type is `application/octet-stream` where theirs could do harm in a browser.',
      content: { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } },
      headers: {
        ETag: header('The SHA-256 of the bytes.'),
        'Content-Disposition': header('`attachment`, with the file name (RFC 6266).'),
        'Accept-Ranges': header('`bytes`.'),
        'Repr-Digest': header('The SHA-256 of the bytes (RFC 9530).'),
      },
    }),
    ApiNotModifiedResponse({ description: 'The bytes are those of `If-None-Match`.' }),
  );
}
