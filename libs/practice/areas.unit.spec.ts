import { HttpException, RequestMethod, type Type } from '@nestjs/common';
import { METHOD_METADATA, PATH_METADATA, ROUTE_ARGS_METADATA } from '@nestjs/common/constants';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum';
import { MetadataScanner, Reflector } from '@nestjs/core';
import { importsArea } from '#import/import.module';
import { DomainError } from '#kernel/errors';
import { Permission } from '#platform/auth/permission.guard';
import { RequestPipe } from '#platform/http/input/request.pipe';
import { toProblem } from '#platform/http/problem';
import { webhooksArea } from '#webhooks/webhooks.module';
import { describeService } from '../../test/support/check/generated-files';
import type { Json } from '../../test/support/client';
import { type Operation, operationsOf, resolve, successOf } from '../../test/support/contract/description';
import { areas as practiceAreas } from './areas';

/** The areas of webhooks and imports are not listed with those of records, but have routes in the same form. */
const areas = [...practiceAreas, webhooksArea, importsArea];

/** Areas without some of the routes that areas have, and why. */
const exceptions: Record<string, { has: string[]; because: string }> = {
  tenants: {
    has: ['GET'],
    because: "only the address's own is read; the operator's command line makes and changes them",
  },
  'integrations/tenantSettings': {
    has: ['PUT', 'GET'],
    because: 'one object for each integration and tenant, read and put whole',
  },
  webhooks: {
    has: ['GET', 'GET /:id', 'PUT', 'POST', 'PATCH /:id', 'DELETE /:id'],
    because: 'what is told of events is none itself: a webhook has no history, but its deliveries',
  },
};
/** Reads that write controllers serve, as each request for them is an event, and the permissions that they need. */
const recorded: Record<string, string> = { 'entities/:id/export': 'entities:export' };
/** Areas without records that have one permission for all routes: whoever may request an import may watch it. */
const whole: Record<string, string> = { etl: 'etl:write' };
/** Answers that can also be requested as CSV. */
const tabular = ['etl/import-report/:requestId'];
/** Bodies that are no DTO. */
const freeForm = ['integrations/tenantSettings'];
/** Answers that have an ETag although they are no records. */
const tagged = [...freeForm, 'documents/:id/download'];
/** Answers without a body. */
const silent = ['PUT webhooks'];

interface Route {
  controller: Type;
  handler: string;
  method: string;
  /** Below the address of the API. */
  path: string;
}

const PREFIX = ':tenant/api/v1/';

function routesOf(controller: Type): Route[] {
  const base: string = Reflect.getMetadata(PATH_METADATA, controller);
  return new MetadataScanner()
    .getAllMethodNames(controller.prototype)
    .filter((name) => Reflect.hasMetadata(PATH_METADATA, controller.prototype[name]))
    .map((name) => {
      const handler = controller.prototype[name];
      const path = `${base}/${Reflect.getMetadata(PATH_METADATA, handler)}`.replace(/\/+$/, '');
      const method = RequestMethod[Reflect.getMetadata(METHOD_METADATA, handler)];
      return { controller, handler: name, method, path: path.slice(PREFIX.length) };
    });
}

/** The class of the body that a route takes. */
function bodyOf({ controller, handler }: Route): Type | undefined {
  const given: Record<string, { index: number }> =
    Reflect.getMetadata(ROUTE_ARGS_METADATA, controller, handler) ?? {};
  const body = Object.entries(given).find(([key]) => key.startsWith(`${RouteParamtypes.BODY}:`));
  return body && Reflect.getMetadata('design:paramtypes', controller.prototype, handler)[body[1].index];
}

const all = areas.map(({ write, read }) => ({
  writes: write.controllers.flatMap(routesOf),
  reads: read.controllers.flatMap(routesOf),
}));
const routes = all.flatMap(({ writes, reads }) => [...writes, ...reads]);
const named = routes.map((route) => [`${route.method} ${route.path}`, route] as const);

let description: Awaited<ReturnType<typeof describeService>>;
let operations: Operation[];

beforeAll(async () => {
  description = await describeService();
  operations = operationsOf(description);
});

function operationOf({ method, path }: Route): Operation {
  const address = `/{tenant}/api/v1/${path.replaceAll(/:(\w+)/g, '{$1}')}`;
  return operations.find((each) => each.method === method && each.path === address)!;
}

it('every operation of the description is a route of an area', () => {
  expect(routes.map((route) => operationOf(route)?.id).sort()).toEqual(operations.map(({ id }) => id).sort());
});

it('the description shows refusals with the titles that the service sends', () => {
  const shown = (Object.values(description.components!.responses!) as Json[]).map(
    ({ content }) => content['application/problem+json'].example,
  );
  const refused = shown.filter(({ status }) => status < 500);
  expect(refused.map(({ status }) => status)).toEqual(expect.arrayContaining([400, 413, 422]));
  for (const { status, title } of refused)
    expect(title).toBe(toProblem(new HttpException('', status), '', '').body.title);
});

it('read controllers serve only reads, and write controllers no reads but the recorded ones', () => {
  expect(all.flatMap(({ reads }) => reads).filter(({ method }) => method !== 'GET')).toEqual([]);
  const gets = all.flatMap(({ writes }) => writes).filter(({ method }) => method === 'GET');
  expect(gets.map(({ path }) => path)).toEqual(Object.keys(recorded));
});

const ofRecords = all.filter(({ reads }) => !whole[reads[0].path.split('/')[0]]);
it.each(ofRecords.map(({ writes, reads }) => [reads[0].path, [...writes, ...reads]] as const))(
  '%s has the routes that every area has, or those of its exception',
  (area, own) => {
    const wanted = ['', '/:id', '/:id/history'].map((path) => `GET ${area}${path}`);
    const writes = [`POST ${area}`, `PATCH ${area}/:id`, `DELETE ${area}/:id`];
    const has = own.map(({ method, path }) => `${method} ${path}`);
    const exception = exceptions[area]?.has.map((route) => {
      const [method, path = ''] = route.split(' ');
      return `${method} ${area}${path}`;
    });
    const base = has.filter((route) => !/\/:id\/|\/event/.test(route));
    if (exception) expect(base.sort()).toEqual(exception.sort());
    else expect(has).toEqual(expect.arrayContaining([...wanted, ...writes]));
  },
);

describe.each(named)('%s', (_name, route) => {
  it('requires the permission of its area', () => {
    const targets = [route.controller.prototype[route.handler], route.controller];
    const [area] = route.path.split('/');
    const wanted =
      recorded[route.path] ?? whole[area] ?? `${area}:${route.method === 'GET' ? 'read' : 'write'}`;
    expect(new Reflector().getAllAndOverride(Permission, targets)).toBe(wanted);
    expect(operationOf(route).permission).toBe(wanted);
  });

  it('accepts the example of its body, and refuses fields that its DTO does not declare', () => {
    const { body, isForm } = operationOf(route);
    const metatype = bodyOf(route);
    // A route that takes a form reads the form itself, and only then knows its fields.
    if (isForm) return expect(metatype).toBeUndefined();
    expect(body !== undefined).toBe(metatype !== undefined);
    if (!body || freeForm.includes(route.path)) return;
    const check = (value: object) => new RequestPipe().transform(value, { type: 'body', metatype });
    expect(check(body.example)).toBeInstanceOf(metatype);
    expect(() => check({ ...body.example, colour: 'red' })).toThrow(
      expect.objectContaining({ errors: [expect.objectContaining({ code: 'unknown_property' })] }),
    );
    expect(() => check([])).toThrow(DomainError);
  });

  it('has a description of its answer and of the headers that it reads and sends', () => {
    const operation = operationOf(route);
    const { headers = {}, content } = operation.responses[successOf(operation)];
    const isSilent = route.method === 'DELETE' || silent.includes(`${route.method} ${route.path}`);
    if (isSilent) expect(content).toBeUndefined();
    else {
      const [type] = Object.keys(content);
      const isFile = type !== 'application/json';
      const example = isFile ? {} : { example: expect.any(Object) };
      const csv = tabular.includes(route.path) ? { 'text/csv': { schema: { type: 'string' } } } : {};
      expect(content).toEqual({ [type]: { schema: expect.any(Object), ...example }, ...csv });
    }
    const data = resolve(description, content?.['application/json']?.schema.properties?.data);
    const view = resolve(description, data?.oneOf?.at(-1) ?? data);
    expect('ETag' in headers).toBe(
      view?.properties?.version !== undefined ||
        tagged.includes(route.path) ||
        silent.includes(`${route.method} ${route.path}`),
    );
    const takes = (name: string) => operation.parameters.some((each) => each.name === name && !each.required);
    const isOfOne = route.path.includes(':id') || route.method === 'PUT';
    expect(takes('If-Match')).toBe(route.method !== 'GET' && isOfOne);
    expect(takes('Idempotency-Key')).toBe(route.method === 'POST');
    expect('Idempotent-Replayed' in headers).toBe(route.method === 'POST');
    expect('Preference-Applied' in headers).toBe(takes('Prefer'));
    expect(takes('X-Min-Position')).toBe(route.method === 'GET');
  });
});
