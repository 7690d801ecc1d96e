import type { INestApplication } from '@nestjs/common';
import { MetadataScanner, ModulesContainer, Reflector } from '@nestjs/core';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { Permission } from '../auth/permission.guard';
import { allPermissions, type PermissionName } from '../auth/permissions';
import { fixedPaths } from './openapi-fixed-paths';
import { answerHeaders, parameters, problem, refusals } from './openapi-parts';

type PathItem = OpenAPIObject['paths'][string];
export type Operation = NonNullable<PathItem['get']>;
type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';

/**
 * The description of all routes of an application, in OpenAPI 3.0: what the controllers say, with what holds for every
 * operation. Needs no database: an application in Nest's preview mode will do.
 */
export function describeApi(app: INestApplication): OpenAPIObject {
  const permissions = permissionsOf(app);
  const document = SwaggerModule.createDocument(app, frame(), { operationIdFactory: operationId });
  document.paths = Object.fromEntries(
    Object.entries(document.paths).map(([path, item]) => [path, completed(path, item, permissions)]),
  );
  Object.assign(document.paths, fixedPaths);
  document.components = {
    ...document.components,
    schemas: { ...document.components?.schemas, Problem: problem },
    responses: refusals,
    headers: answerHeaders,
    parameters,
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

function permissionsOf(app: INestApplication): Map<string, PermissionName> {
  const reflector = new Reflector();
  const scanner = new MetadataScanner();
  const found = new Map<string, PermissionName>();
  for (const module of app.get(ModulesContainer).values()) {
    for (const { metatype } of module.controllers.values()) {
      if (!metatype?.prototype) continue;
      for (const method of scanner.getAllMethodNames(metatype.prototype)) {
        const targets = [metatype.prototype[method], metatype] as Parameters<
          Reflector['getAllAndOverride']
        >[1];
        const permission = reflector.getAllAndOverride(Permission, targets);
        if (permission) found.set(operationId(metatype.name, method), permission);
      }
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
  return {
    operationId: id,
    summary: summary || summaryOf(id!),
    description: `Needs the permission \`${permission}\`.`,
    'x-permission': permission,
    ...rest,
    security: [{ oauth2: [permission] }, { bearer: [] }],
    parameters:
      method === 'get' ? [...parameters, { $ref: '#/components/parameters/minPosition' }] : parameters,
    ...(requestBody && { requestBody: method === 'patch' ? mergePatch(requestBody) : requestBody }),
    responses: {
      ...Object.fromEntries(Object.entries(responses).map(([status, answer]) => [status, counted(answer)])),
      ...Object.fromEntries(
        refusalsOf(path, method).map((name) => [refusals[name]['x-status'], refusal(name)]),
      ),
    },
  } as Operation;
}

/** A PATCH is a JSON merge patch (RFC 7396), whichever of the two types it is sent as. */
function mergePatch(body: NonNullable<Operation['requestBody']>): Operation['requestBody'] {
  if (!('content' in body)) return body;
  const content = body.content['application/json'];
  return { ...body, content: { 'application/json': content, 'application/merge-patch+json': content } };
}

function counted(answer: Operation['responses'][string]): Operation['responses'][string] {
  if (!answer || '$ref' in answer) return answer;
  const names = Object.keys(answerHeaders);
  const headers = Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
  return { ...answer, headers: { ...answer.headers, ...headers } };
}

const refusal = (name: keyof typeof refusals) => ({ $ref: `#/components/responses/${name}` });

function refusalsOf(path: string, method: Method): (keyof typeof refusals)[] {
  const writes = method !== 'get';
  const hasBody = writes && method !== 'delete';
  return [
    'Malformed',
    'Unauthenticated',
    'Forbidden',
    ...(path.includes('{id}') ? (['NotFound'] as const) : []),
    ...(writes ? (['Conflict'] as const) : []),
    ...(writes && path.includes('{id}') ? (['PreconditionFailed'] as const) : []),
    ...(hasBody ? (['TooLarge', 'UnsupportedMediaType', 'Invalid'] as const) : []),
    'TooMany',
    'Unavailable',
  ];
}

const phrases: Record<string, (many: string, one: string) => string> = {
  create: (_many, one) => `Create ${one}`,
  list: (many) => `List ${many}`,
  one: (_many, one) => `Read ${one}`,
  current: (_many, one) => `Read the ${one.split(' ').slice(1).join(' ')} itself`,
  update: (_many, one) => `Change ${one}`,
  remove: (_many, one) => `Delete ${one}`,
  history: (_many, one) => `List the events of ${one}`,
};

/** `workItems_writeOff` is "Write off a work item". */
function summaryOf(id: string): string {
  const [area, method] = id.split('_');
  const many = words(area);
  const single = many.replace(/ies$/, 'y').replace(/s$/, '');
  const one = `${/^[aeiou]/.test(single) ? 'an' : 'a'} ${single}`;
  const phrase = phrases[method];
  if (phrase) return phrase(many, one);
  const action = words(method);
  const sentence = action.endsWith(' many') ? `${action} ${many}` : `${action} ${one}`;
  return sentence[0].toUpperCase() + sentence.slice(1);
}

const words = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

function tagsOf({ paths }: OpenAPIObject): { name: string }[] {
  const operations = Object.values(paths).flatMap((item) => Object.values(item as Record<Method, Operation>));
  return [...new Set(operations.flatMap(({ tags = [] }) => tags))].map((name) => ({ name }));
}
