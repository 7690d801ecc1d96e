import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { OpenAPIObject } from '@nestjs/swagger';
import { allPermissions } from '#platform/auth/permissions';
import { packageRoot } from '#platform/package-root';
import { describeService, generatedFiles } from './generated-files';

type Operation = {
  operationId: string;
  summary: string;
  tags: string[];
  security: Record<string, string[]>[];
  'x-permission'?: string;
  responses: Record<string, { $ref?: string; headers?: object }>;
};

let document: OpenAPIObject;
let operations: [address: string, operation: Operation][];

beforeAll(async () => {
  document = await describeService();
  operations = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([key]) => key !== 'parameters')
      .map(([method, operation]): [string, Operation] => [`${method} ${path}`, operation as Operation]),
  );
});

it('equals the committed files', async () => {
  for (const [name, content] of Object.entries(await generatedFiles()))
    expect(readFileSync(join(packageRoot(), name), 'utf8')).toBe(content);
});

it('describes every operation, each with its own name and id', () => {
  const ids = operations.map(([, { operationId }]) => operationId);
  expect(new Set(ids).size).toBe(ids.length);
  expect(operations.filter(([, { summary, tags }]) => !summary || tags.length !== 1)).toEqual([]);
  expect(Object.fromEntries(operations.map(([address, { summary }]) => [address, summary]))).toMatchObject({
    'post /{tenant}/api/v1/entities': 'Create an entity',
    'get /{tenant}/api/v1/workitems': 'List work items',
    'post /{tenant}/api/v1/workitems/finalise': 'Finalise many work items',
    'post /{tenant}/api/v1/workitems/{id}/writeoff': 'Write off a work item',
    'get /{tenant}/api/v1/tenants': "Read the caller's own tenant",
    'post /{tenant}/graphql': 'Query reports over GraphQL',
    'post /oauth2/token': 'Get an access token with the client credentials',
  });
});

it('says for every operation of a tenant which permission it needs and how it can be refused', () => {
  const ofTenants = operations.filter(([address]) => address.includes('/{tenant}/api/'));
  expect(ofTenants.length).toBeGreaterThan(40);
  for (const [, { 'x-permission': permission, security, responses }] of ofTenants) {
    expect(allPermissions).toContain(permission);
    expect(security).toEqual([{ oauth2: [permission] }, { bearer: [] }]);
    expect(Object.keys(responses)).toEqual(expect.arrayContaining(['400', '401', '403', '429', '503']));
  }
  const statuses = (id: string) =>
    Object.keys(operations.find(([, { operationId }]) => operationId === id)![1].responses).join(' ');
  expect(statuses('listMatters')).toBe('200 400 401 403 429 503');
  expect(statuses('createMatter')).toBe('201 400 401 403 408 409 413 415 422 429 503');
  expect(statuses('updateMatter')).toBe('200 400 401 403 404 408 409 412 413 415 422 429 503');
  expect(statuses('deleteMatter')).toBe('204 400 401 403 404 409 412 429 503');
  // A body is read even where none is expected.
  expect(statuses('closeMatter')).toBe('200 400 401 403 404 408 409 412 413 415 422 429 503');
  expect(statuses('exportLedesOfInvoice')).toBe('200 400 401 403 404 409 429 503');
  expect(statuses('resolveApplicableRate')).toBe('200 400 401 403 422 429 503');
  expect(statuses('requestToken')).toBe('200 400 401 408 413 415 429 503');
});

it('says which texts must not be blank, how long those of a list may be, and which ids are needed', () => {
  const notBlank = { pattern: '\\S' };
  expect(document.components?.schemas).toMatchObject({
    MatterInput: { properties: { title: notBlank, externalReference: notBlank } },
    EntityInput: { properties: { phones: { items: { ...notBlank, maxLength: 50 } } } },
    FinaliseInput: { properties: { ids: { minItems: 1, maxItems: 200 } } },
  });
});

it('has no references to missing parts', () => {
  const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)].map(([, path]) => path);
  expect(references).toContain('components/schemas/Problem');
  for (const reference of new Set(references)) {
    const found = reference
      .split('/')
      .reduce<unknown>((parent, key) => (parent as Record<string, unknown>)?.[key], document);
    expect([reference, typeof found]).toEqual([reference, 'object']);
  }
});
