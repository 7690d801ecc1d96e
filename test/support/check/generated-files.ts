import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { OpenAPIObject } from '@nestjs/swagger';
import { columnReference } from '#import/schema/column-reference';
import { schemaScript } from '#import/schema/t-sql';
import { findingsReference } from '#import/validation/findings';
import { Config } from '#platform/config';
import { describeApi } from '#platform/http/openapi';
import { printSdl } from '#reporting/graphql/schema';
import { LocalModule } from '../../../apps/local/local.module';

/** The API description of the whole service. In preview mode Nest creates no instances, so no database is needed. */
export async function describeService(): Promise<OpenAPIObject> {
  const app = await NestFactory.create<NestFastifyApplication>(
    LocalModule.forRoot(new Config()),
    new FastifyAdapter(),
    { preview: true, logger: false, abortOnError: false },
  );
  return describeApi(app);
}

/** The generated files, by name. The committed files must be equal. */
export async function generatedFiles(): Promise<Record<string, string>> {
  return {
    'openapi.json': `${JSON.stringify(await describeService(), undefined, 2)}\n`,
    'schema.graphql': await printSdl(),
    'docs/import/schema-1.0.sql': schemaScript(),
    'docs/import/schema-1.0.md': columnReference(),
    'docs/import/findings.md': findingsReference(),
  };
}
