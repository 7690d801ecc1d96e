import { Controller, Logger } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { Span } from '@opentelemetry/api';
import type { FastifyInstance } from 'fastify';
import { startAuthApplication } from '../../../test/support/auth-application';
import { createTestDatabase } from '../../../test/support/database';

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';

/** Traces every request, as with a collector. */
@Controller()
class Tracer {
  constructor(host: HttpAdapterHost) {
    host.httpAdapter.getInstance<FastifyInstance>().addHook('onRequest', (request, _reply, done) => {
      request.span = { spanContext: () => ({ traceId }) } as Span;
      done();
    });
  }
}

it('a token request that fails is logged with the trace id that its answer has', async () => {
  const test = await createTestDatabase();
  const { app, address, database } = await startAuthApplication(test.url, [Tracer]);
  const error = jest.spyOn(Logger.prototype, 'error').mockImplementation();
  jest.spyOn(database.pool, 'query').mockImplementation(() => {
    throw new Error('relation "x" does not exist');
  });
  const body = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: 'one',
    client_secret: 'secret',
  });
  const { status, headers } = await fetch(`${address}/oauth2/token`, { method: 'POST', body });
  await app.close();
  await test.drop();
  expect([status, headers.get('x-trace-id')]).toEqual([503, traceId]);
  expect(error).toHaveBeenCalledWith(expect.objectContaining({ traceId }));
});
