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
  description:
    'The ETag of the version of the webhook that you have read. The request is refused with 412 when the webhook has ' +
    'another version by now.',
});

const ETag = { description: "The webhook's version, for `If-Match`.", schema: { type: 'string' } };

const Location = { description: "The webhook's address.", schema: { type: 'string' } };

/** 201 with the webhook and its secret. */
export function ApiCreateWithSecret(view: Type): MethodDecorator {
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
      description:
        'The ETag of the version that you have read, or `"0"` to create the webhook only if it does not exist. The ' +
        'request is refused with 412 when the webhook has another version by now.',
    }),
    ApiCreatedResponse({
      description: 'The webhook is registered. The answer has no body.',
      headers: { ETag, Location },
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
      rows: {
        type: 'array',
        items: { $ref: getSchemaPath(view) },
        description: 'The events, in their order.',
      },
      after: {
        type: 'string',
        description: 'The position to send as `after` with the next request, so that no event is missed.',
        example: 'MS43NTMuMTI',
      },
      hasMore: {
        type: 'boolean',
        description:
          'Whether there may be more events now, so that the next request should follow at once. It can be true even if ' +
          'the answer has no rows.',
        example: false,
      },
    },
  });
  return applyDecorators(ApiExtraModels(view), ApiOkResponse(schema));
}
