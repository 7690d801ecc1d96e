import Ajv from 'ajv';
import addFormats from 'ajv-formats';
import type { Json } from '../client';

/**
 * Checks bodies against their schemas in the API description. Objects may have only described fields: an undescribed
 * field is as wrong as a missing one.
 */
export class Answers {
  private readonly ajv = new Ajv({ strict: false, allErrors: true });

  constructor(document: Json) {
    addFormats(this.ajv);
    this.ajv.addSchema(asJsonSchema(document), 'openapi');
  }

  /** The faults of a body; empty when it is as described. */
  faults(schema: Json, body: unknown): string[] {
    const check = this.ajv.compile(asJsonSchema(schema));
    if (check(body)) return [];
    return check.errors!.map(
      ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
    );
  }
}

/**
 * Resolves references within the document, and forbids undescribed fields. Ajv treats `nullable` like OpenAPI 3.0.3.
 */
function asJsonSchema(schema: Json): Json {
  return JSON.parse(JSON.stringify(schema), (key, value) => {
    if (key === '$ref') return `openapi${value}`;
    // The names of fields are not keywords of a schema.
    if (!value || typeof value !== 'object' || Array.isArray(value) || key === 'properties') return value;
    const { example: _, ...own } = value;
    return own.type === 'object' && own.properties ? { additionalProperties: false, ...own } : own;
  });
}
