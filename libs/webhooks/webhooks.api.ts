import { applyDecorators, type Type } from '@nestjs/common';
import {
  ApiAcceptedResponse,
  ApiCreatedResponse,
  ApiExtension,
  ApiExtraModels,
  ApiHeader,
  ApiOkResponse,
  getSchemaPath,
} from '@nestjs/swagger';
import { ApiIdempotencyKey } from '#platform/http/input/idempotency-key';
import { envelope, page } from '#practice/records/api';

/** Marks a write that records no event: it has no position in the feed. */
export const ApiWithoutEvents = () => ApiExtension('x-without-events', true);

const ifMatch = ApiHeader({
  name: 'If-Match',
  required: false,
  description: 'The ETag of the version of the webhook that is meant.',
});

const ETag = { description: "The webhook's version, for `If-Match`.", schema: { type: 'string' } };

/** 201 with the webhook and its secret. */
export function ApiCreateWithSecret(view: Type): MethodDecorator {
  const Location = { description: "The record's address.", schema: { type: 'string' } };
  const answer = envelope({ $ref: getSchemaPath(view) });
  const response = ApiCreatedResponse({ ...answer, headers: { ETag, Location } });
  return applyDecorators(ApiExtraModels(view), ApiIdempotencyKey(), response);
}

/** 200 with the webhook and its new secret. */
export function ApiRotate(view: Type): MethodDecorator {
  const response = ApiOkResponse({ ...envelope({ $ref: getSchemaPath(view) }), headers: { ETag } });
  return applyDecorators(ApiExtraModels(view), ifMatch, ApiIdempotencyKey(), response);
}

/** 202 with what was queued. */
export function ApiQueued(view: Type): MethodDecorator {
  return applyDecorators(
    ApiExtraModels(view),
    ifMatch,
    ApiIdempotencyKey(),
    ApiAcceptedResponse(envelope({ $ref: getSchemaPath(view) })),
  );
}

/** 201 without a body. */
export function ApiRegistered(): MethodDecorator {
  return applyDecorators(
    ApiHeader({
      name: 'If-Match',
      required: false,
      description: 'The ETag of the version that may be replaced; `"0"`: only if there is none.',
    }),
    ApiCreatedResponse({
      description: 'Registered; there is no body.',
      headers: { ETag },
    }),
  );
}

/** A page that is read from the write database: it has no position in the feed. */
export function ApiRows(view: Type): MethodDecorator {
  return applyDecorators(ApiExtraModels(view), ApiOkResponse(page({ $ref: getSchemaPath(view) })));
}

/** A page of a feed. */
export function ApiFeed(view: Type): MethodDecorator {
  const schema = envelope({
    type: 'object',
    required: ['rows', 'after', 'hasMore'],
    properties: {
      rows: { type: 'array', items: { $ref: getSchemaPath(view) } },
      after: {
        type: 'string',
        description: 'For the next request: nothing is missed.',
        example: 'MS43NTMuMTI',
      },
      hasMore: {
        type: 'boolean',
        description: 'Whether to ask again at once; there may be more after an answer without rows too.',
        example: false,
      },
    },
  });
  return applyDecorators(ApiExtraModels(view), ApiOkResponse(schema));
}
