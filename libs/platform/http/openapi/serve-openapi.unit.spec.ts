import { Module } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { Config } from '../../config';
import { createHttpApplication } from '../http-application';
import { serveApiDescription } from './serve-openapi';

@Module({})
class Empty {}

let app: NestFastifyApplication;

beforeAll(async () => {
  app = await createHttpApplication(Empty, Object.assign(new Config(), { LOG_LEVEL: 'silent' }));
  serveApiDescription(app);
  await app.init();
});

afterAll(() => app.close());

const get = (url: string) => app.inject({ method: 'GET', url });

it('serves the committed description', async () => {
  const answer = await get('/openapi.json');
  expect(answer.headers['content-type']).toContain('application/json');
  expect(answer.json()).toEqual(require('../../../../openapi.json'));
});

it('marks the body of a POST as required only where the POST needs one', async () => {
  const { paths } = (await get('/openapi.json')).json();
  const needed = (path: string) => paths[`/{tenant}/api/v1/${path}`].post.requestBody.required;
  for (const action of ['issue', 'unissue', 'void', 'payments/{paymentId}/reverse']) {
    expect(needed(`invoices/{id}/${action}`)).toBe(false);
  }
  for (const path of ['workitems', 'invoices/{id}/pay', 'invoices/{id}/writeoff']) {
    expect(needed(path)).toBe(true);
  }
});

it('serves Swagger UI with its own assets only', async () => {
  const page = await get('/docs');
  expect(page.headers['content-type']).toContain('text/html');
  const sources = [...page.body.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, source]) => source);
  expect(sources).toContain('./docs/swagger-ui-bundle.js');
  for (const source of sources) {
    expect(source).toMatch(/^\.\/docs\//);
    expect((await get(source.slice(1))).statusCode).toBe(200);
  }
});

it('writes the description once for all requests', async () => {
  const { body } = await get('/openapi.json');
  const stringify = jest.spyOn(JSON, 'stringify');
  const again = await get('/openapi.json');
  expect(again.body).toBe(body);
  expect(stringify.mock.results.some(({ value }) => value === body)).toBe(false);
  stringify.mockRestore();

  const page = await get('/docs/swagger-ui-init.js');
  expect(page.body).toContain('"url": "/openapi.json"');
  expect(page.body.length).toBeLessThan(10_000);
});
