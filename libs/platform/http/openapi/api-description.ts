import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { OpenAPIObject } from '@nestjs/swagger';
import { packageRoot } from '../../package-root';

let read: OpenAPIObject | undefined;

/**
 * The description of the service (`openapi.json`), which a check keeps equal to the code. It is read when first needed.
 */
export function apiDescription(): OpenAPIObject {
  read ??= JSON.parse(readFileSync(join(packageRoot(), 'openapi.json'), 'utf8')) as OpenAPIObject;
  return read;
}
