import { ApiProperty } from '@nestjs/swagger';
import { apiDescription } from '#platform/http/openapi/api-description';
import { areaOf, type EventName, eventNames } from './event-catalogue';
import { exampleOf, type Json } from './event-examples';
import { CHANGED } from './messages';

const nullableText = { type: String, nullable: true } as const;

/** A kind of message, as the API describes it to subscribers. */
export class EventTypeView {
  @ApiProperty({ example: 'matter.created' })
  name: string;

  @ApiProperty({
    ...nullableText,
    description:
      'The name that existing clients use for the event; null if they have none. A webhook that subscribes to this ' +
      'name gets messages with this name.',
    example: 'PE.Mk2.Accounting.V1.MatterCreated',
  })
  qualifiedName: string | null;

  @ApiProperty({
    description: 'The permission that is needed to subscribe to the event.',
    example: 'matters:read',
  })
  permission: string;

  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    description: 'The JSON Schema (2020-12) of a message body.',
    example: { type: 'object', required: ['type', 'data'] },
  })
  schema: Json;

  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    description: 'An example of a message body.',
    example: { type: 'matter.created', data: {} },
  })
  example: Json;
}

let views: readonly EventTypeView[] | undefined;

/** All kinds of messages, in the order of their names. */
export function eventTypes(): readonly EventTypeView[] {
  views ??= eventNames.map(viewOf);
  return views;
}

function viewOf(event: EventName): EventTypeView {
  const { name, qualified, permission, kind } = event;
  const { paths }: Json = apiDescription();
  const area = `/{tenant}/api/v1/${areaOf(kind)}`;
  // The address of a tenant names the tenant itself: its path has no id.
  const answer = (paths[`${area}/{id}`] ?? paths[area]).get.responses[200];
  const write = name.endsWith('.created') ? paths[area].post : paths[`${area}/{id}`]?.patch;
  const { schema, example } = answer.content['application/json'];
  return {
    name,
    qualifiedName: qualified ?? null,
    permission,
    schema: schemaOf(event, schema.properties.data),
    example: exampleOf(event, example.data, settable(write, example.data)),
  };
}

/** The fields of a record that a request may set when it writes the record. */
function settable(write: Json, record: Json): string[] {
  const [body]: Json[] = Object.values(write?.requestBody?.content ?? {});
  const { properties = {} } = body ? jsonSchema(body.schema) : {};
  return Object.keys(properties).filter((name) => name in record);
}

function schemaOf({ name, qualified }: EventName, record: Json): Json {
  const text = { type: 'string' };
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    required: ['type', 'timestamp', 'requestId', 'data', 'id', 'tenant', 'sequence', 'changed'],
    properties: {
      type: { enum: [name, ...(qualified === undefined ? [] : [qualified])] },
      timestamp: { ...text, format: 'date-time', description: 'When the event happened.' },
      requestId: { ...text, format: 'uuid', description: 'The same on every attempt of one delivery.' },
      data: {
        type: 'object',
        required: ['id', 'sourceId'],
        properties: {
          id: { ...text, description: "The record's id." },
          data: {
            description:
              'The record as it is when the message is sent. Absent in thin mode, and when the body would be larger than 256 ' +
              'KiB.',
            anyOf: [jsonSchema(record), { type: 'null' }],
          },
          sourceId: { ...text, description: 'Who made the change, as `createdBy` names them.' },
        },
      },
      id: {
        ...text,
        pattern: '^evt_[0-9a-f]{32}$',
        description: 'The id of the event. It is also the header webhook-id.',
      },
      tenant: { ...text, description: "The tenant's alias." },
      sequence: {
        type: 'integer',
        description:
          'The version of the record: in full mode as it is when the message is sent, so later events may have increased ' +
          'it; in thin mode after the event. Of two messages about a record, the one with the higher number is newer.',
      },
      changed: {
        type: 'array',
        items: text,
        description: CHANGED,
      },
      truncated: { const: true, description: 'Present when the record was too large to be sent.' },
    },
  };
}

/** Converts a schema of OpenAPI 3.0 to JSON Schema, with references replaced by what they refer to. */
function jsonSchema(schema: Json): Json {
  if (Array.isArray(schema)) return schema.map(jsonSchema);
  if (typeof schema !== 'object' || schema === null) return schema;
  const { $ref, nullable, allOf, example: _, ...own } = schema;
  if ($ref) {
    const [, , ...path]: string[] = ['', ...$ref.split('/')];
    return jsonSchema(path.reduce((parent, key) => parent[key], apiDescription() as Json));
  }
  const converted = Object.fromEntries(Object.entries(own).map(([key, value]) => [key, jsonSchema(value)]));
  const whole = allOf ? { ...jsonSchema(allOf[0]), ...converted } : converted;
  return nullable ? { anyOf: [whole, { type: 'null' }] } : whole;
}
