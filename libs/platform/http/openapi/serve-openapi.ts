import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { packageRoot } from '../../package-root';

/**
 * Serves `/openapi.json`, and Swagger UI at `/docs` with the assets of its package. Every process that clients reach
 * serves the one description of the whole service, which a check keeps equal to the code. It is read when first needed.
 */
export async function serveApiDescription(app: NestFastifyApplication): Promise<void> {
  const file = join(packageRoot(), 'openapi.json');
  const document = () => JSON.parse(readFileSync(file, 'utf8')) as OpenAPIObject;
  SwaggerModule.setup('docs', app, document, {
    jsonDocumentUrl: '/openapi.json',
    raw: ['json'],
    customSiteTitle: 'Practice management',
    swaggerOptions: { validatorUrl: null, displayOperationId: true, tagsSorter: 'alpha' },
  });
}
