import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Json } from '../client';

/** One operation of the API description. */
export interface Operation {
  id: string;
  /** `GET`, `POST`, … */
  method: string;
  /** Its address, with names in braces. */
  path: string;
  permission: string | undefined;
  /** With references resolved, including the parameters of the address. */
  parameters: {
    name: string;
    in: string;
    required: boolean;
    description?: string;
    schema: Json;
    example?: Json;
  }[];
  /** Schema and example of its body, which is JSON or a form. */
  body: { schema: Json; example: Json } | undefined;
  isForm: boolean;
  /** By status, with references resolved. */
  responses: Record<string, { headers?: Json; content?: Json }>;
}

/** `openapi.json` as it is committed. */
export function committedDescription(): Json {
  return JSON.parse(readFileSync(join(__dirname, '../../../openapi.json'), 'utf8'));
}

/** @param reference an object that may be `{$ref: '#/…'}` */
export function resolve(document: Json, reference: Json): Json {
  if (!reference?.$ref) return reference;
  const keys: string[] = reference.$ref.slice(2).split('/');
  return keys.reduce((parent, key) => parent[key], document);
}

/** All operations whose address begins with the prefix. */
export function operationsOf(document: Json, prefix = '/{tenant}/api/v1/'): Operation[] {
  return Object.entries<Json>(document.paths)
    .filter(([path]) => path.startsWith(prefix))
    .flatMap(([path, { parameters: common = [], ...methods }]) =>
      Object.entries<Json>(methods).map(([method, operation]) => ({
        id: operation.operationId,
        method: method.toUpperCase(),
        path,
        permission: operation['x-permission'],
        parameters: [...common, ...(operation.parameters ?? [])].map((each) => resolve(document, each)),
        body:
          operation.requestBody?.content['application/json'] ??
          operation.requestBody?.content['multipart/form-data'],
        isForm: operation.requestBody?.content['multipart/form-data'] !== undefined,
        responses: Object.fromEntries(
          Object.entries(operation.responses).map(([status, answer]) => [status, resolve(document, answer)]),
        ),
      })),
    );
}

/** The status of a successful answer. 206 answers a `Range`. */
export function successOf({ id, responses }: Operation): number {
  const found = Object.keys(responses).filter((status) => status.startsWith('2') && status !== '206');
  if (found.length !== 1) throw new Error(`${id} describes ${found.length} answers of success`);
  return Number(found[0]);
}

/** The kinds of id that a schema takes, according to its pattern; empty when it takes no id. */
export function kindsOf(schema: Json): string[] {
  return /^\^\(?([a-z|]+)\)?_\[0-9a-f\]\{32\}/.exec(schema?.pattern ?? '')?.[1].split('|') ?? [];
}
