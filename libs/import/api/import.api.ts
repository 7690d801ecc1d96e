import { applyDecorators, Param } from '@nestjs/common';
import {
  ApiAcceptedResponse,
  ApiExtension,
  ApiExtraModels,
  ApiHeader,
  ApiOkResponse,
  ApiParam,
  getSchemaPath,
} from '@nestjs/swagger';
import { ApiIdempotencyKey } from '#platform/http/input/idempotency-key';
import { envelope, pageFields } from '#practice/records/api';
import { requestIdOf } from '../requests/import-request';
import { exampleRequest } from './import.input';
import { AcceptedView, ImportView } from './import.views';
import { FindingView, TotalView } from './import-report.views';

/** Describes the answer 202: a worker will carry the request out. No event is appended yet. */
export const ApiAccepted = () =>
  applyDecorators(
    ApiExtension('x-without-events', true),
    ApiExtraModels(AcceptedView),
    ApiIdempotencyKey(),
    ApiAcceptedResponse({ schema: { $ref: getSchemaPath(AcceptedView) } }),
  );

export const ApiStatus = () =>
  applyDecorators(ApiExtraModels(ImportView), ApiOkResponse({ schema: { $ref: getSchemaPath(ImportView) } }));

/** Describes the report: a page of findings or totals, or all of them as CSV. */
export function ApiReport(): MethodDecorator {
  const rows = {
    type: 'array',
    description: 'Findings, or with `part=totals` totals.',
    items: { oneOf: [FindingView, TotalView].map((view) => ({ $ref: getSchemaPath(view) })) },
  };
  const properties = {
    rows,
    ...pageFields,
    totals: {
      type: 'array',
      items: { $ref: getSchemaPath(TotalView) },
      description:
        'The totals of everything and of each table. With `part=totals`, the rows are all totals, those of matters and ' +
        'fee earners too.',
    },
  };
  const { schema } = envelope({ type: 'object', required: Object.keys(properties), properties }) as {
    schema: object;
  };
  const accept = ApiHeader({
    name: 'Accept',
    required: false,
    description: 'With `text/csv`, the answer has all rows, as CSV.',
  });
  const headers = {
    Vary: { description: 'Accept, which chooses between JSON and CSV.', schema: { type: 'string' } },
    'Content-Disposition': {
      description: 'The name of the file. Only with CSV.',
      schema: { type: 'string' },
    },
  };
  const content = { 'application/json': { schema }, 'text/csv': { schema: { type: 'string' } } };
  return applyDecorators(
    ApiExtraModels(FindingView, TotalView),
    accept,
    ApiOkResponse({ content, headers } as Parameters<typeof ApiOkResponse>[0]),
  );
}

/** The path parameter `:requestId`. @throws DomainError `not_found` when it is no id of a request */
export function RequestIdParam(): ParameterDecorator {
  const schema = { type: 'string' as const, format: 'uuid', example: exampleRequest };
  const api = ApiParam({ name: 'requestId', description: 'The id of the import.', schema });
  return (controller, method, index) => {
    api(controller, method!, Object.getOwnPropertyDescriptor(controller, method!)!);
    Param('requestId', { transform: requestIdOf })(controller, method, index);
  };
}
