import type { INestApplication } from '@nestjs/common';
import { MetadataScanner, ModulesContainer, Reflector } from '@nestjs/core';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { Permission } from '../auth/permission.guard';
import { allPermissions } from '../auth/permissions';
import { Examples, nameOf, type Schemas } from './openapi/openapi-examples';
import { fixedPaths } from './openapi/openapi-fixed-paths';
import { namesOf } from './openapi/openapi-names';
import {
  bodyOf,
  completed,
  type Described,
  dataOf,
  idOf,
  type Method,
  type Operation,
  type Route,
} from './openapi/openapi-operation';
import * as parts from './openapi/openapi-parts';
import { problem } from './openapi/openapi-problem';

type Paths = OpenAPIObject['paths'];

/**
 * Describes all routes of an application in OpenAPI 3.0: what the controllers declare, and what holds for every
 * operation. It needs no database: an application in Nest's preview mode is enough.
 */
export function describeApi(app: INestApplication): OpenAPIObject {
  const operationIdFactory = (controller: string, method: string) => namesOf(controller, method).operationId;
  const document = SwaggerModule.createDocument(app, frame(), { operationIdFactory });
  const schemas = strict(document);
  const routes = routesOf(app);
  const operations = operationsOf(document.paths);
  const examples = learned(operations, new Examples(schemas));
  for (const described of operations) {
    const { path, method, operation } = described;
    const route = routes.get(operation.operationId!);
    // A public route keeps the description that it declares.
    if (route) document.paths[path][method] = completed(described, route, examples);
  }
  for (const [path, item] of Object.entries(document.paths)) {
    if (path.includes('{tenant}')) item.parameters = [{ $ref: '#/components/parameters/tenant' }];
  }
  document.paths = { ...document.paths, ...fixedPaths };
  document.components = {
    ...document.components,
    schemas: { ...schemas, Problem: problem },
    responses: parts.refusalAnswers,
    headers: parts.headers,
    parameters: parts.parameters,
  };
  document.tags = tagsOf(document.paths);
  return document;
}

function frame() {
  const scopes = Object.fromEntries(
    allPermissions.map((name) => [name, name.split(':').reverse().join(' ')]),
  );
  return new DocumentBuilder()
    .setTitle('Practice management')
    .setDescription(
      'Clients, matters, time and invoices of law firms. The answer to a write has the header `X-Event-Position`; a ' +
        'read that sends its value as `X-Min-Position` sees that write. Days and timestamps of records must be between ' +
        '1900 and 2199. Timestamps are stored to the millisecond. Reports are queried over GraphQL.\n\n' +
        'A `number` is a decimal: an amount, a rate, a number of units or a percentage, of up to 15 digits. Read and ' +
        'write it as a decimal type, or as a 64-bit floating-point number, which keeps all 15 digits; 32 bits keep only ' +
        '7. Generators for Go choose 32 bits unless told otherwise: openapi-generator by ' +
        '`--type-mappings number=float64`, oapi-codegen by `output-options: {type-mapping: {number: {default: {type: ' +
        'float64}}}}` in its configuration.',
    )
    .setVersion('1')
    .addServer('/')
    .addOAuth2({ type: 'oauth2', flows: { clientCredentials: { tokenUrl: '/oauth2/token', scopes } } })
    .addBearerAuth({ type: 'http', scheme: 'bearer', bearerFormat: 'JWT' })
    .build();
}

/** The permission and the summary of each operation, by its id. */
function routesOf(app: INestApplication): Map<string, Route> {
  const reflector = new Reflector();
  const scanner = new MetadataScanner();
  const found = new Map<string, Route>();
  const modules = [...app.get(ModulesContainer).values()];
  for (const { metatype } of modules.flatMap(({ controllers }) => [...controllers.values()])) {
    const { prototype, name } = metatype as new () => object;
    for (const method of scanner.getAllMethodNames(prototype)) {
      const handler = prototype[method as keyof typeof prototype];
      const permission = reflector.getAllAndOverride(Permission, [handler, metatype as new () => object]);
      const { operationId, summary } = namesOf(name, method);
      if (permission) found.set(operationId, { permission, summary });
    }
  }
  return found;
}

function operationsOf(paths: Paths): Described[] {
  return Object.entries(paths).flatMap(([path, { parameters: _, ...item }]) =>
    Object.entries(item as Record<Method, Operation>).map(([method, operation]) => ({
      path,
      method: method as Method,
      operation,
    })),
  );
}

/** Collects from the operations how each kind of record is read and made. */
function learned(operations: Described[], examples: Examples): Examples {
  for (const { path, method, operation } of operations) {
    const record = method === 'get' && path.endsWith('/{id}') && dataOf(operation);
    if (!record) continue;
    const create = operations.find((other) => other.method === 'post' && `${other.path}/{id}` === path);
    const sent = create && bodyOf(create.operation);
    examples.learn(record, { ...(sent && examples.request(sent)), id: idOf(operation) });
  }
  return examples;
}

/**
 * Makes validators of OpenAPI 3.0.3 accept null where it is allowed: an enum of texts gets the value null, one of
 * integers becomes a range, as Go's generators refuse null among numbers, and a reference is to a schema that is itself
 * nullable, as nothing beside a reference extends what it permits.
 */
function strict({ paths, components }: OpenAPIObject): Schemas {
  const nullable = new Map<string, string>();
  const text = JSON.stringify(components!.schemas, (_key, value) => {
    if (value?.nullable === false) return { ...value, nullable: undefined };
    if (!value?.nullable) return value;
    if (value.enum)
      return value.type === 'integer' ? ranged(value) : { ...value, enum: [...value.enum, null] };
    if (!value.allOf) return value;
    const { allOf, nullable: _, type: __, ...rest } = value;
    const name = nameOf(allOf[0].$ref);
    nullable.set(`${name}OrNull`, name);
    return { ...rest, allOf: [{ $ref: `${allOf[0].$ref}OrNull` }] };
  });
  const all: Schemas = JSON.parse(text);
  for (const [name, of] of nullable) all[name] = { ...all[of], nullable: true };
  const used = JSON.stringify([paths, all]);
  for (const of of nullable.values()) if (!used.includes(`"#/components/schemas/${of}"`)) delete all[of];
  return all;
}

/** An enum of consecutive integers, as a range. */
function ranged({ enum: values, ...rest }: { enum: number[] }): object {
  return { ...rest, minimum: Math.min(...values), maximum: Math.max(...values) };
}

function tagsOf(paths: Paths): { name: string }[] {
  const tags = operationsOf(paths).flatMap(({ operation }) => operation.tags ?? []);
  return [...new Set(tags)].map((name) => ({ name }));
}
