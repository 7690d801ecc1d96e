import Ajv from 'ajv';
import addFormats from 'ajv-formats';
import type { Json } from '../client';

/**
 * Checks bodies against their schemas in the API description. Objects hold nothing but what is described: a field that
 * nobody described is as wrong as one that is missing.
 */
export class Answers {
  private readonly ajv = new Ajv({ strict: false, allErrors: true });

  constructor(document: Json) {
    addFormats(this.ajv);
    this.ajv.addSchema(asJsonSchema(document), 'openapi');
  }

  /** What is wrong with a body; nothing when it is as described. */
  faults(schema: Json, body: unknown): string[] {
    const check = this.ajv.compile(asJsonSchema(schema));
    if (check(body)) return [];
    return check.errors!.map(
      ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
    );
  }
}

/** References to the document, and objects that are closed; `nullable` means to Ajv what it means to OpenAPI 3.0.3. */
function asJsonSchema(schema: Json): Json {
  return JSON.parse(JSON.stringify(schema), (key, value) => {
    if (key === '$ref') return `openapi${value}`;
    // Names of fields are no words of a schema.
    if (!value || typeof value !== 'object' || Array.isArray(value) || key === 'properties') return value;
    const { example: _, ...own } = value;
    return own.type === 'object' && own.properties ? { additionalProperties: false, ...own } : own;
  });
}
