import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { SwaggerModule } from '@nestjs/swagger';
import type { FastifyInstance } from 'fastify';
import { apiDescription } from './api-description';

const DESCRIPTION = '/openapi.json';

/**
 * Serves `/openapi.json`, and Swagger UI at `/docs` with the assets of its package. Every process that clients reach
 * serves the one description of the whole service.
 */
export function serveApiDescription(app: NestFastifyApplication): void {
  // Written once, and as bytes: strangers can ask for it many times over one connection and read none of the answers.
  let bytes: Buffer | undefined;
  const fastify = app.getHttpAdapter().getInstance() as unknown as FastifyInstance;
  fastify.get(DESCRIPTION, (_request, reply) => {
    bytes ??= Buffer.from(JSON.stringify(apiDescription()));
    return reply.type('application/json; charset=utf-8').send(bytes);
  });
  const fetched = { openapi: '', info: { title: '', version: '' }, paths: {} };
  SwaggerModule.setup('docs', app, fetched, {
    raw: false,
    customSiteTitle: 'Practice management',
    swaggerOptions: {
      url: DESCRIPTION,
      spec: {},
      validatorUrl: null,
      displayOperationId: true,
      tagsSorter: 'alpha',
    },
  });
}
