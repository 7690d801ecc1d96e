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
        'Either a form with the file and its fields, in any order, or the bytes of the file alone. In the second case ' +
        'the Content-Type is that of the file, which cannot be `multipart/form-data`, and the fields are query ' +
        'parameters.',
      schema: { $ref: getSchemaPath(form) },
    }),
    ApiHeader({
      name: 'Content-Digest',
      required: false,
      description:
        'The digest of the body, as `sha-256=:<base64>:` (RFC 9530). A body with another digest is refused.',
    }),
  );
}

const header = (description: string) => ({ description, schema: { type: 'string' } });

export function ApiDownload(): MethodDecorator {
  const asked = {
    Range: 'With `bytes=0-1023`, for example, only that part is sent, as 206 with `Content-Range`.',
    'If-Range':
      'An ETag. The part is sent only if the document still has the bytes with this ETag. Otherwise all bytes are sent.',
    'If-None-Match': 'An ETag. The answer is 304 if the document still has the bytes with this ETag.',
  };
  const type =
    'The Content-Type is that of the document, or `application/octet-stream` if its own could do harm in a browser.';
  const content = { '*/*': { schema: { type: 'string', format: 'binary' } } };
  const headers = {
    ETag: header('The SHA-256 of the bytes.'),
    'Content-Disposition': header('`attachment` with the file name (RFC 6266).'),
    'Accept-Ranges': header('Always `bytes`: the request can have `Range`.'),
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
      headers: {
        ...headers,
        'Content-Range': header('Which part is sent, and how many bytes the document has.'),
      },
    }),
    ApiNotModifiedResponse({
      description: 'The document still has the bytes with the ETag in `If-None-Match`.',
    }),
  );
}
