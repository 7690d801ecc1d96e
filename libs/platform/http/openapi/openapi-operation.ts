import { STATUS_CODES } from 'node:http';
import type { OpenAPIObject } from '@nestjs/swagger';
import type { PermissionName } from '../../auth/permissions';
import type { Examples, Schema } from './openapi-examples';
import * as parts from './openapi-parts';

export type Operation = NonNullable<OpenAPIObject['paths'][string]['get']>;
export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';
type Parameters = NonNullable<Operation['parameters']>;
type Answer = Exclude<NonNullable<Operation['responses'][string]>, { $ref: string }>;

export interface Described {
  path: string;
  method: Method;
  operation: Operation;
}

const MERGE_PATCH =
  'A JSON merge patch (RFC 7396): an absent field stays as it is. Null gives a field the value that it has when a record ' +
  'is created without it, which is mostly none; but numbers of records, the time when a matter was opened, and the ' +
  'currency of a matter or an invoice stay as they are.';

/** What a controller declares about an operation besides its description. */
export interface Route {
  permission: PermissionName;
  summary: string;
}

/** Completes an operation that its controller describes with what follows from its method, address and answer. */
export function completed(
  { path, method, operation }: Described,
  { permission, summary }: Route,
  examples: Examples,
): Operation {
  const {
    operationId,
    summary: own,
    description,
    parameters = [],
    requestBody,
    responses,
    ...rest
  } = operation;
  const body = bodyOf(operation);
  const answers = Object.entries(responses).map(([status, answer]) => [
    status,
    answered(operation, method, status, answer as Answer, examples),
  ]);
  return {
    operationId,
    summary: own || summary,
    description: [`Needs the permission \`${permission}\`.`, description].filter(Boolean).join(' '),
    'x-permission': permission,
    ...rest,
    security: [{ oauth2: [permission] }, { bearer: [] }],
    parameters: [
      ...withoutRepeats(parameters),
      ...(method === 'get' ? [{ $ref: '#/components/parameters/minPosition' }] : []),
    ],
    ...(requestBody && {
      requestBody: body ? requestOf(method, body, examples) : formOf(requestBody, examples),
    }),
    responses: {
      ...Object.fromEntries(answers),
      ...parts.refusalsWith(400, 401, 403, ...statusesOf(path, method, operation), 429, 503),
    },
  } as Operation;
}

/** The schema of the body that an operation takes. */
export function bodyOf({ requestBody }: Operation): Schema | undefined {
  return requestBody && 'content' in requestBody
    ? requestBody.content['application/json']?.schema
    : undefined;
}

/** The schema of the `data` that an operation answers. */
export function dataOf({ responses }: Operation): Schema | undefined {
  const [schema] = Object.values(responses).flatMap((answer) => schemaOf(answer as Answer) ?? []);
  return schema && 'properties' in schema ? schema.properties?.data : undefined;
}

function schemaOf({ content }: Answer): Schema | undefined {
  return content?.['application/json']?.schema;
}

/** The example of the id in the address. */
export function idOf({ parameters = [] }: Operation): unknown {
  const [id] = parameters.filter((each) => 'name' in each && each.name === 'id');
  return id && 'schema' in id && id.schema && 'example' in id.schema ? id.schema.example : undefined;
}

/**
 * Removes repeated parameters. Nest also finds a header by the handler's argument, in lower case and as required; the
 * header's own description comes later, and is the one that stays.
 */
function withoutRepeats(parameters: Parameters): Parameters {
  const keys = parameters.map((parameter) =>
    '$ref' in parameter ? parameter.$ref : `${parameter.in} ${parameter.name.toLowerCase()}`,
  );
  return parameters.filter((_parameter, index) => keys.lastIndexOf(keys[index]) === index);
}

/**
 * The body of a request. A PATCH is a JSON merge patch (RFC 7396), whichever of the two types it is sent as. A POST
 * without required fields is also accepted without a body.
 */
function requestOf(method: Method, schema: Schema, examples: Examples): Operation['requestBody'] {
  const content = { schema, example: examples.request(schema) };
  const types = ['application/json', ...(method === 'patch' ? ['application/merge-patch+json'] : [])];
  const required = method !== 'post' || examples.mustHave(schema);
  return {
    ...(method === 'patch' && { description: MERGE_PATCH }),
    required,
    content: Object.fromEntries(types.map((type) => [type, content])),
  };
}

/** A body that is not JSON, as it was described, with an example. */
function formOf(requestBody: NonNullable<Operation['requestBody']>, examples: Examples) {
  if (!('content' in requestBody)) return requestBody;
  const content = Object.entries(requestBody.content).map(([type, { schema }]) => [
    type,
    { schema, example: schema && examples.request(schema) },
  ]);
  return { ...requestBody, content: Object.fromEntries(content) };
}

function answered(
  operation: Operation,
  method: Method,
  status: string,
  answer: Answer,
  examples: Examples,
): Answer {
  const schema = schemaOf(answer);
  const isOfRecord = examples.isOfRecord(dataOf(operation));
  // A PUT that is not of a record has no events, nor has an operation that declares it.
  const writes = method !== 'get' && (isOfRecord || method !== 'put') && !('x-without-events' in operation);
  return {
    ...answer,
    description: answer.description || STATUS_CODES[status]!,
    headers: {
      ...parts.headersWith(
        ...(isOfRecord ? (['ETag'] as const) : []),
        ...(writes ? (['X-Event-Position'] as const) : []),
        ...(method === 'post' ? (['Idempotent-Replayed'] as const) : []),
        ...(method === 'patch' ? (['Preference-Applied'] as const) : []),
      ),
      ...answer.headers,
    },
    ...(schema && {
      content: { ...answer.content, 'application/json': { schema, example: examples.answer(schema) } },
    }),
  };
}

/** The statuses of refusals that depend on the operation. */
function statusesOf(path: string, method: Method, operation: Operation): number[] {
  const { parameters = [], 'x-refusals': refusals } = operation as Operation & { 'x-refusals'?: number[] };
  const reads = method === 'get';
  const given = parameters.flatMap((each) => ('in' in each ? each : []));
  const takesBody = !reads && method !== 'delete';
  const asks = takesBody || (reads && given.some((each) => each.in === 'query' && each.required));
  return [
    ...(/\{(id|requestId)\}/.test(path) ? [404] : []),
    ...(refusals ?? []),
    ...(takesBody ? [408] : []),
    ...(reads ? [] : [409]),
    ...(given.some(({ name }) => name === 'If-Match') ? [412] : []),
    ...(given.some(({ name }) => name === 'Range') ? [416] : []),
    ...(takesBody ? [413, 415] : []),
    ...(asks ? [422] : []),
  ];
}
