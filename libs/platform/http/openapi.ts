import { STATUS_CODES } from 'node:http';
import type { INestApplication } from '@nestjs/common';
import { MetadataScanner, ModulesContainer, Reflector } from '@nestjs/core';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { Permission } from '../auth/permission.guard';
import { allPermissions, type PermissionName } from '../auth/permissions';
import { fixedPaths } from './openapi-fixed-paths';
import * as parts from './openapi-parts';
import { summaryOf } from './openapi-summary';

type PathItem = OpenAPIObject['paths'][string];
type Operation = NonNullable<PathItem['get']>;
type Parameters = NonNullable<Operation['parameters']>;
type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';

/**
 * The description of all routes of an application, in OpenAPI 3.0: what the controllers say, with what holds for every
 * operation. Needs no database: an application in Nest's preview mode will do.
 */
export function describeApi(app: INestApplication): OpenAPIObject {
  const permissions = permissionsOf(app);
  const document = SwaggerModule.createDocument(app, frame(), { operationIdFactory: operationId });
  const described = Object.entries(document.paths).map(([path, item]) => [
    path,
    completed(path, item, permissions),
  ]);
  document.paths = { ...Object.fromEntries(described), ...fixedPaths };
  document.components = {
    ...document.components,
    schemas: { ...document.components?.schemas, Problem: parts.problem },
    responses: parts.refusalAnswers,
    headers: parts.headers,
    parameters: parts.parameters,
  };
  document.tags = tagsOf(document);
  return document;
}

function frame() {
  const scopes = Object.fromEntries(
    allPermissions.map((name) => [name, name.split(':').reverse().join(' ')]),
  );
  return new DocumentBuilder()
    .setTitle('Practice management')
    .setDescription(
      'Clients, matters and time of law firms. A write answers `X-Event-Position`; a read that sends it back as ' +
        '`X-Min-Position` sees that write. Reports are asked for over GraphQL.',
    )
    .setVersion('1')
    .addServer('/')
    .addOAuth2({ type: 'oauth2', flows: { clientCredentials: { tokenUrl: '/oauth2/token', scopes } } })
    .addBearerAuth({ type: 'http', scheme: 'bearer', bearerFormat: 'JWT' })
    .build();
}

/** `MattersWriteController.close` is `matters_close`. */
function operationId(controller: string, method: string): string {
  const area = controller.replace(/(Read|Write)?Controller$/, '');
  return `${area[0].toLowerCase()}${area.slice(1)}_${method}`;
}

/** What each operation asks for, by its id. */
function permissionsOf(app: INestApplication): Map<string, PermissionName> {
  const reflector = new Reflector();
  const scanner = new MetadataScanner();
  const found = new Map<string, PermissionName>();
  const modules = [...app.get(ModulesContainer).values()];
  for (const { metatype } of modules.flatMap(({ controllers }) => [...controllers.values()])) {
    const { prototype, name } = metatype as new () => object;
    for (const method of scanner.getAllMethodNames(prototype)) {
      const handler = prototype[method as keyof typeof prototype];
      const permission = reflector.getAllAndOverride(Permission, [handler, metatype as new () => object]);
      if (permission) found.set(operationId(name, method), permission);
    }
  }
  return found;
}

function completed(path: string, item: PathItem, permissions: Map<string, PermissionName>): PathItem {
  const operations = Object.entries(item as Record<Method, Operation>).map(([method, operation]) => [
    method,
    complete(path, method as Method, operation, permissions.get(operation.operationId!)),
  ]);
  const tenant = path.includes('{tenant}') && { parameters: [{ $ref: '#/components/parameters/tenant' }] };
  return { ...tenant, ...Object.fromEntries(operations) };
}

function complete(
  path: string,
  method: Method,
  operation: Operation,
  permission?: PermissionName,
): Operation {
  if (!permission) return operation;
  const { operationId: id, summary, parameters = [], requestBody, responses, ...rest } = operation;
  const answers = Object.entries(responses).map(([status, answer]) => [
    status,
    answered(path, method, status, answer),
  ]);
  return {
    operationId: id,
    summary: summary || summaryOf(id!),
    description: `Needs the permission \`${permission}\`.`,
    'x-permission': permission,
    ...rest,
    security: [{ oauth2: [permission] }, { bearer: [] }],
    parameters: [
      ...withoutRepeats(parameters),
      ...(method === 'get' ? [{ $ref: '#/components/parameters/minPosition' }] : []),
    ],
    ...(requestBody && { requestBody: method === 'patch' ? mergePatch(requestBody) : requestBody }),
    responses: {
      ...Object.fromEntries(answers),
      ...parts.refusalsWith(400, 401, 403, ...statusesOf(path, method, requestBody !== undefined), 429, 503),
    },
  } as Operation;
}

/** What a handler reads of the headers is found by its argument too, in lower case and as required; what it was described as comes later. */
function withoutRepeats(parameters: Parameters): Parameters {
  const keys = parameters.map((parameter) =>
    '$ref' in parameter ? parameter.$ref : `${parameter.in} ${parameter.name.toLowerCase()}`,
  );
  return parameters.filter((_parameter, index) => keys.lastIndexOf(keys[index]) === index);
}

/** A PATCH is a JSON merge patch (RFC 7396), whichever of the two types it is sent as. */
function mergePatch(body: NonNullable<Operation['requestBody']>): Operation['requestBody'] {
  if (!('content' in body)) return body;
  const content = body.content['application/json'];
  return { ...body, content: { 'application/json': content, 'application/merge-patch+json': content } };
}

function answered(
  path: string,
  method: Method,
  status: string,
  answer: Operation['responses'][string],
): Operation['responses'][string] {
  if (!answer || '$ref' in answer) return answer;
  const common = parts.headersWith(
    ...(path.includes('{id}') && !path.endsWith('/history') && method !== 'delete'
      ? (['ETag'] as const)
      : []),
    ...(method === 'get' ? [] : (['X-Event-Position'] as const)),
    ...(method === 'post' ? (['Idempotent-Replayed'] as const) : []),
  );
  return {
    ...answer,
    description: answer.description || STATUS_CODES[status]!,
    headers: { ...answer.headers, ...common },
  };
}

/** The refusals that depend on what is asked. */
function statusesOf(path: string, method: Method, hasBody: boolean): number[] {
  const reads = method === 'get';
  return [
    ...(path.includes('{id}') ? [404, ...(reads ? [] : [412])] : []),
    ...(reads ? [] : [409]),
    ...(hasBody ? [413, 415] : []),
    ...(reads || method === 'delete' ? [] : [422]),
  ];
}

function tagsOf({ paths }: OpenAPIObject): { name: string }[] {
  const operations = Object.values(paths).flatMap((item) => Object.values(item as Record<Method, Operation>));
  return [...new Set(operations.flatMap(({ tags = [] }) => tags))].map((name) => ({ name }));
}
