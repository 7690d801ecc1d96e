import { applyDecorators, type Type } from '@nestjs/common';
import {
  ApiCreatedResponse,
  ApiExtraModels,
  ApiHeader,
  ApiNoContentResponse,
  ApiOkResponse,
  getSchemaPath,
} from '@nestjs/swagger';
import { ApiIdempotencyKey } from '#platform/http/input/idempotency-key';
import { nameOf } from '#platform/http/openapi/openapi-examples';

/** Decorators that describe each kind of operation. openapi.ts adds errors and authentication to all of them. */

/**
 * @param title the name of the type in generated clients, which otherwise name an answer of many operations after one of
 * them; by default that of the record in it
 */
export function envelope(schema: object, title = titleOf(schema)): object {
  return {
    schema: {
      title,
      type: 'object',
      required: ['success', 'data'],
      properties: {
        success: {
          type: 'boolean',
          description: 'Always true; a refusal is a problem document.',
          example: true,
        },
        data: schema,
      },
    },
  };
}

/** `MatterResponse` for a reference to MatterView. */
function titleOf(schema: object): string | undefined {
  return '$ref' in schema ? nameOf(String(schema.$ref)).replace(/View$/, 'Response') : undefined;
}

const ifMatch = ApiHeader({
  name: 'If-Match',
  required: false,
  description:
    'The ETag of the version that you have read. The request is refused with 412 when the record has another version ' +
    'by now.',
});

export function ApiCreate(view: Type): MethodDecorator {
  return applyDecorators(
    ApiExtraModels(view),
    ApiIdempotencyKey(),
    ApiCreatedResponse({
      ...envelope({ $ref: getSchemaPath(view) }),
      headers: { Location: { description: "The record's address.", schema: { type: 'string' } } },
    }),
  );
}

export function ApiUpdate(view: Type): MethodDecorator {
  const id = {
    type: 'string',
    description: 'The id of the record. With `Prefer: return=representation`, the whole record.',
  };
  return applyDecorators(
    ApiExtraModels(view),
    ifMatch,
    ApiHeader({
      name: 'Prefer',
      required: false,
      description: 'With `return=representation` the answer has the whole record, and not only its id.',
    }),
    ApiOkResponse(envelope({ oneOf: [id, { $ref: getSchemaPath(view) }] })),
  );
}

export function ApiAction(view: Type): MethodDecorator {
  return applyDecorators(
    ApiExtraModels(view),
    ifMatch,
    ApiIdempotencyKey(),
    ApiOkResponse(envelope({ $ref: getSchemaPath(view) })),
  );
}

export function ApiRemove(): MethodDecorator {
  return applyDecorators(ifMatch, ApiNoContentResponse());
}

export function ApiOne(view: Type): MethodDecorator {
  return applyDecorators(ApiExtraModels(view), ApiOkResponse(envelope({ $ref: getSchemaPath(view) })));
}

/** The fields of a page apart from its rows. */
export const pageFields = {
  pageIndex: { type: 'integer', description: 'The number of the page, from 0.', example: 0 },
  pageSize: { type: 'integer', description: 'The highest number of rows in a page.', example: 50 },
  hasMore: { type: 'boolean', description: 'Whether there is a further page.', example: false },
};

/** Describes a page of a list. */
export function page(items: object, title?: string): object {
  const data = {
    type: 'object',
    required: ['rows', 'pageIndex', 'pageSize', 'hasMore'],
    properties: {
      rows: { type: 'array', items, description: 'The rows of the page.' },
      ...pageFields,
      totalCount: {
        type: 'integer',
        description: 'The number of all rows that match. Present only with `includeTotalCount=true`.',
      },
    },
  };
  return envelope(data, title);
}

const listPosition = {
  description:
    'Present on the first page: the list has every change up to this position. With `changedAfter`: every change up ' +
    'to this position is in this answer or was in an earlier one; send the value as `changedAfter` with the next ' +
    'request.',
  schema: { type: 'string' },
};

export function ApiPage(view: Type): MethodDecorator {
  const answer = page({ $ref: getSchemaPath(view) });
  return applyDecorators(
    ApiExtraModels(view),
    ApiOkResponse({ ...answer, headers: { 'X-Event-Position': listPosition } }),
  );
}

export function ApiHistory(): MethodDecorator {
  const event = {
    title: 'HistoryEvent',
    type: 'object',
    required: ['id', 'version', 'type', 'on', 'by', 'source', 'correlationId', 'changes'],
    properties: {
      id: {
        type: 'string',
        format: 'uuid',
        description: 'The id of the event.',
        example: '0198c2f1-a4b8-7c3d-9e5f-60718293a4b5',
      },
      version: { type: 'integer', description: 'The version of the record after the event.', example: 2 },
      type: { type: 'string', description: 'What happened.', example: 'MatterUpdated' },
      on: { type: 'string', format: 'date-time', description: 'When it happened.' },
      by: { type: 'string', description: 'Who did it.', example: 'integration:demo-client' },
      source: {
        type: 'string',
        description: 'How the change was made: `rest`, `cli`, `import` or `demo`.',
        example: 'rest',
      },
      correlationId: {
        type: 'string',
        description: 'The trace id of the request that made the change.',
        example: '4bf92f3577b34da6a3ce929d0e0e4736',
      },
      changes: {
        type: 'object',
        additionalProperties: true,
        description:
          'The fields that the event set, with their new values. Money is `{Amount, Currency}`. An amount without a ' +
          'currency of its own is a number in the currency of the record. Of an erased person, an event with personal ' +
          'data shows all personal fields as erased, also those that it did not set.',
        example: { title: 'Purchase of 12 Mill Lane' },
      },
    },
  };
  return ApiOkResponse(page(event, 'HistoryResponse'));
}

/** Describes the answer to a request over many records, which has an outcome for each. */
export function ApiOutcomes(view: Type): MethodDecorator {
  const items = { $ref: getSchemaPath(view) };
  const rows = { type: 'array', items, description: 'The outcome for each id.' };
  const data = { type: 'object', required: ['rows'], properties: { rows } };
  const schema = envelope(data, 'OutcomesResponse');
  return applyDecorators(ApiExtraModels(view), ApiIdempotencyKey(), ApiOkResponse(schema));
}

/** Describes an answer that is a text file. */
export function ApiText(description: string): MethodDecorator {
  const content = { 'text/plain': { schema: { type: 'string' as const } } };
  return ApiOkResponse({ description, content });
}
