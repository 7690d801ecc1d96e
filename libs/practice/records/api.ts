import { applyDecorators, type Type } from '@nestjs/common';
import {
  ApiCreatedResponse,
  ApiExtraModels,
  ApiHeader,
  ApiNoContentResponse,
  ApiOkResponse,
  getSchemaPath,
} from '@nestjs/swagger';

/** How each kind of operation is described; refusals and authentication are added for all in openapi.ts. */

function envelope(schema: object): object {
  return {
    schema: {
      type: 'object',
      required: ['success', 'data'],
      properties: { success: { type: 'boolean', example: true }, data: schema },
    },
  };
}

const ifMatch = ApiHeader({
  name: 'If-Match',
  required: false,
  description: 'The ETag of the version that may be changed.',
});
const idempotencyKey = ApiHeader({
  name: 'Idempotency-Key',
  required: false,
  description: 'Makes the request safe to repeat for 24 hours.',
});

export function ApiCreate(view: Type): MethodDecorator {
  return applyDecorators(
    ApiExtraModels(view),
    idempotencyKey,
    ApiCreatedResponse({
      ...envelope({ $ref: getSchemaPath(view) }),
      headers: {
        Location: { schema: { type: 'string' } },
        ETag: { schema: { type: 'string' } },
        'X-Event-Position': { schema: { type: 'string' } },
      },
    }),
  );
}

export function ApiUpdate(view: Type): MethodDecorator {
  const id = { type: 'string', description: 'The id; the record with `Prefer: return=representation`.' };
  return applyDecorators(
    ApiExtraModels(view),
    ifMatch,
    ApiHeader({
      name: 'Prefer',
      required: false,
      description: '`return=representation` answers the record.',
    }),
    ApiOkResponse(envelope({ oneOf: [id, { $ref: getSchemaPath(view) }] })),
  );
}

export function ApiAction(view: Type): MethodDecorator {
  return applyDecorators(
    ApiExtraModels(view),
    ifMatch,
    idempotencyKey,
    ApiOkResponse(envelope({ $ref: getSchemaPath(view) })),
  );
}

export function ApiRemove(): MethodDecorator {
  return applyDecorators(ifMatch, ApiNoContentResponse());
}

export function ApiOne(view: Type): MethodDecorator {
  return applyDecorators(ApiExtraModels(view), ApiOkResponse(envelope({ $ref: getSchemaPath(view) })));
}

function page(items: object): object {
  return envelope({
    type: 'object',
    required: ['rows', 'pageIndex', 'pageSize', 'hasMore'],
    properties: {
      rows: { type: 'array', items },
      pageIndex: { type: 'integer' },
      pageSize: { type: 'integer' },
      hasMore: { type: 'boolean' },
      totalCount: { type: 'integer', description: 'With includeTotalCount=true.' },
    },
  });
}

const listPosition = {
  description:
    'On the first page: every change up to there is in the list. With `changedAfter` every change up to there is in ' +
    'this answer or was there before: the value of `changedAfter` for the next request.',
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
    type: 'object',
    properties: {
      id: { type: 'string' },
      version: { type: 'integer' },
      type: { type: 'string' },
      on: { type: 'string', format: 'date-time' },
      by: { type: 'string' },
      source: { type: 'string' },
      correlationId: { type: 'string' },
      changes: { type: 'object' },
    },
  };
  return ApiOkResponse(page(event));
}

/** A request over many records answers for each by itself. */
export function ApiOutcomes(view: Type): MethodDecorator {
  const rows = { type: 'array', items: { $ref: getSchemaPath(view) } };
  const schema = envelope({ type: 'object', required: ['rows'], properties: { rows } });
  return applyDecorators(ApiExtraModels(view), idempotencyKey, ApiOkResponse(schema));
}
