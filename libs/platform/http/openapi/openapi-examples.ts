import type { OpenAPIObject } from '@nestjs/swagger';
import { idSchema } from '../input/id-schema';
import { words } from './openapi-names';

export type Schemas = NonNullable<NonNullable<OpenAPIObject['components']>['schemas']>;
export type Schema = Schemas[string];
type Own = Exclude<Schema, { $ref: string }>;
/** Examples of fields, by their name. */
type Known = Record<string, unknown>;

/** Examples of fields that appear in many answers. */
const usual: Known = {
  version: 1,
  isDeleted: false,
  createdBy: 'integration:demo-client',
  updatedBy: 'integration:demo-client',
  alias: 'demo',
  firmName: 'Demo & Partners',
  currency: 'GBP',
  timeZone: 'Europe/London',
  fullName: 'Ada Okafor',
  sortName: 'Okafor, Ada',
  clientNumber: '1001',
  matterNumber: '2001',
  sortTitle: 'Purchase of 12 Mill Lane',
  reason: 'Agreed with the client',
  taxCodeId: idSchema('taxcode').example,
  documentCollectionId: idSchema('documentcollection').example,
  subjectId: idSchema('matter').example,
  requestId: '0198c2f1-a4b8-8c3d-9e5f-60718293a4b5',
  Amount: 250,
  Currency: 'GBP',
};
const byFormat: Record<string, string> = {
  'date-time': '2025-06-12T10:00:00.000Z',
  date: '2025-06-12',
  email: 'ada@example.com',
};

/** Makes examples of bodies from those of their fields. */
export class Examples {
  /**
   * By the name of a record's schema: the record's id and the fields that it was created with. A field of an answer has
   * the value that was sent under the same name.
   */
  private readonly records = new Map<string, Known>();

  constructor(private readonly schemas: Schemas) {}

  /** Notes how records of a schema are made. */
  learn(schema: Schema, known: Known): void {
    if ('$ref' in schema) this.records.set(nameOf(schema.$ref), known);
  }

  /** Whether a body is an answer about one such record. */
  isOfRecord(data: Schema | undefined): boolean {
    return data !== undefined && this.record(recordOf(data)) !== undefined;
  }

  /** Whether a body has a required field. */
  mustHave(schema: Schema): boolean {
    return (this.own(schema).required ?? []).length > 0;
  }

  /** An example of a request body: its required fields, and those that have an example. */
  request(schema: Schema): Known {
    const { properties = {}, required = [], example } = this.own(schema);
    if (example !== undefined) return example;
    const examples = Object.entries(properties).map(([name, property]) => {
      const isRequired = required.includes(name);
      return [name, this.given(property) ?? (isRequired ? this.value(name, property, usual) : undefined)];
    });
    return Object.fromEntries(examples.filter(([, value]) => value !== undefined));
  }

  answer(schema: Schema): unknown {
    return this.value('data', schema, usual);
  }

  private own(schema: Schema): Own {
    if ('$ref' in schema) return this.own(this.schemas[nameOf(schema.$ref)]);
    return schema.allOf ? { ...this.own(schema.allOf[0]), ...schema } : schema;
  }

  /** The example of a field, or one made of the examples of its parts. */
  private given(schema: Schema): unknown {
    const { example, items, properties = {}, required = [] } = this.own(schema);
    if (example !== undefined) return example;
    if (items) {
      const each = this.given(items);
      return each === undefined ? undefined : [each];
    }
    const isGiven = (name: string) => this.given(properties[name]) !== undefined;
    const isWhole = Object.keys(properties).some(isGiven) && required.every(isGiven);
    return isWhole && !this.record(schema) ? this.request(schema) : undefined;
  }

  private value(name: string, schema: Schema, known: Known): unknown {
    const own = this.own(schema);
    const given = this.given(schema);
    if (given !== undefined) return given;
    const sent = known[name];
    if (own.items && this.own(own.items).properties)
      return [this.value(name, own.items, Array.isArray(sent) ? { ...known, [name]: sent[0] } : known)];
    if (own.properties) return this.object(own, { ...known, ...(sent as Known), ...this.record(schema) });
    if (sent !== undefined) return sent;
    if (own.oneOf) return this.record(recordOf(own))?.id;
    if (own.enum) return own.enum[0];
    if (own.nullable) return null;
    if (own.type === 'array') return [];
    if (own.type === 'object') return {};
    if (own.type === 'boolean') return true;
    if (own.type === 'integer' || own.type === 'number') return own.minimum ?? 1;
    return byFormat[own.format ?? ''] ?? words(name);
  }

  private object({ properties = {}, required = [] }: Own, known: Known): object {
    const all = { ...known, ...this.states(properties) };
    const shown = Object.entries(properties).filter(([name]) => required.includes(name));
    return Object.fromEntries(shown.map(([name, property]) => [name, this.value(name, property, all)]));
  }

  /**
   * Examples of states: a number whose description begins with `0 Pending` is shown with that word in the field beside
   * it.
   */
  private states(properties: Schemas): Known {
    const pairs = Object.entries(properties).flatMap(([name, property]) => {
      const [, number, word] = /^(\d+) ([^,.]+)/.exec(this.own(property).description ?? '') ?? [];
      const isNamed = word !== undefined && `${name}Name` in properties;
      return isNamed ? [[name, Number(number)] as const, [`${name}Name`, word] as const] : [];
    });
    return Object.fromEntries(pairs);
  }

  private record(schema: Schema): Known | undefined {
    return '$ref' in schema ? this.records.get(nameOf(schema.$ref)) : undefined;
  }
}

/** The schema of the record in an answer: a PATCH answers with the id, or with the record. */
function recordOf(data: Schema): Schema {
  return ('oneOf' in data && data.oneOf?.at(-1)) || data;
}

/** The name in a reference: `#/components/schemas/MatterView` is `MatterView`. */
export function nameOf(reference: string): string {
  return reference.slice(reference.lastIndexOf('/') + 1);
}
