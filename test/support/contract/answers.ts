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

/** OpenAPI 3.0's own words in those of JSON Schema: `nullable`, and references to the document. */
function asJsonSchema(schema: Json): Json {
  return JSON.parse(JSON.stringify(schema), (key, value) => {
    if (key === '$ref') return `openapi${value}`;
    // Names of fields are no words of a schema.
    if (!value || typeof value !== 'object' || key === 'properties') return value;
    const { nullable, example: _, ...own } = value;
    const closed = own.type === 'object' && own.properties ? { additionalProperties: false, ...own } : own;
    return nullable === true ? { anyOf: [{ type: 'null' }, closed] } : Array.isArray(value) ? value : closed;
  });
}
