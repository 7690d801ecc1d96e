import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { SwaggerModule } from '@nestjs/swagger';
import { apiDescription } from './api-description';

/**
 * Serves `/openapi.json`, and Swagger UI at `/docs` with the assets of its package. Every process that clients reach
 * serves the one description of the whole service.
 */
export function serveApiDescription(app: NestFastifyApplication): void {
  SwaggerModule.setup('docs', app, apiDescription, {
    jsonDocumentUrl: '/openapi.json',
    raw: ['json'],
    customSiteTitle: 'Practice management',
    swaggerOptions: { validatorUrl: null, displayOperationId: true, tagsSorter: 'alpha' },
  });
}
