import { createConfig, lintFromString } from '@redocly/openapi-core';
import { describeService } from '../check/generated-files';
import type { Json } from '../client';
import { Answers } from './answers';
import { committedDescription, operationsOf, successOf } from './description';

/** Exceptions to the strictest set of rules: what this description omits on purpose. */
const rules = {
  'info-license': 'off',
  // the name of an area says what it contains
  'tag-description': 'off',
  // keys, health and metrics refuse nobody
  'operation-4xx-response': 'off',
  'no-invalid-media-type-examples': 'error',
  'no-invalid-schema-examples': 'error',
} as const;

/**
 * Fields whose names say all, where no rule is to be told: the record's own id, the record of a kind, the name of the
 * state beside it, and what every letterhead has. Null means that there is none.
 */
const plainNames = [
  'city',
  'clientId',
  'clientNumber',
  'code',
  'country',
  'data',
  'disbursementCodeId',
  'divisionId',
  'documentCollectionId',
  'email',
  'employeeId',
  'entity',
  'entityId',
  'fileName',
  'firmName',
  'id',
  'initials',
  'itemTypeName',
  'jobTitle',
  'matterId',
  'matterNumber',
  'matterTypeId',
  'name',
  'postcode',
  'stateName',
  'street',
  'taskTypeId',
  'taxCodeId',
  'title',
  'webhookId',
];

it('is valid OpenAPI, with valid examples', async () => {
  const config = await createConfig({ extends: ['recommended-strict'], rules });
  const source = JSON.stringify(await describeService());
  const problems = await lintFromString({ source, config });
  expect(problems.map(({ message, location }) => `${location[0].pointer}: ${message}`)).toEqual([]);
});

describe('the number types of generated clients', () => {
  const numbers = numbersOf(committedDescription());

  it('are wide enough for each whole number', () => {
    const narrow = numbers.filter(
      ({ schema }) => schema.type === 'integer' && schema.maximum > 2 ** 31 - 1 && schema.format !== 'int64',
    );
    expect(narrow.map(({ name }) => name)).toEqual([]);
  });

  it('have no null among the values of an enum, which no number type can hold', () => {
    const mixed = numbers.filter(({ schema }) => schema.enum?.includes(null));
    expect(mixed.map(({ name }) => name)).toEqual([]);
    const ofInput = committedDescription().components.schemas.TaskTypeInput.properties.itemType;
    expect(ofInput).toMatchObject({ type: 'integer', nullable: true, minimum: 0, maximum: 1 });
  });

  it('have decimals only where a value may have some', () => {
    const names = numbers.filter(({ schema }) => schema.type === 'number').map(({ name }) => name);
    expect([...new Set(names)].sort()).toEqual([
      'Amount',
      'minutesPerUnit',
      'percent',
      'quantity',
      'remainingQuantity',
      'remainingUnits',
      'taxRate',
      'unitDuration',
      'units',
    ]);
  });
});

it('describes the id of an import alike in requests, answers and addresses', () => {
  const document = committedDescription();
  const fields = fieldsOf(document).filter(({ name }) => name === 'requestId');
  const parameters = operationsOf(document)
    .flatMap(({ parameters }) => parameters)
    .filter(({ name }) => name === 'requestId');
  const kinds = [...fields, ...parameters].map(({ schema: { type, format, pattern } }) => ({
    type,
    format,
    pattern,
  }));
  expect(new Set(kinds.map((kind) => JSON.stringify(kind)))).toEqual(
    new Set(['{"type":"string","format":"uuid"}']),
  );
});

it('names every value to sort by with a constant of its own', () => {
  const sorts = operationsOf(committedDescription())
    .flatMap(({ parameters }) => parameters)
    .filter(({ name }) => name === 'sort');
  for (const { schema } of sorts) {
    const constants: string[] = schema['x-enum-varnames'];
    expect(new Set(constants).size).toBe(schema.enum.length);
    expect(constants.filter((each) => !/^[A-Z][A-Z_]*$/.test(each))).toEqual([]);
  }
});

it('names the answer with a record after the record, whichever operation it belongs to', () => {
  const operations = operationsOf(committedDescription());
  const titleOf = (id: string) => {
    const operation = operations.find((each) => each.id === id)!;
    return operation.responses[successOf(operation)].content['application/json'].schema.title;
  };
  for (const id of ['createMatter', 'getMatter', 'closeMatter']) expect(titleOf(id)).toBe('MatterResponse');
  for (const id of ['getMatterHistory', 'getEntityHistory']) expect(titleOf(id)).toBe('HistoryResponse');
});

it('lists no value of a field twice', () => {
  const twice = fieldsOf(committedDescription())
    .filter(({ schema }) => schema.enum && new Set(schema.enum).size < schema.enum.length)
    .map(({ name }) => name);
  expect(twice).toEqual([]);
});

it('has an example of each parameter in its described format', () => {
  const document = committedDescription();
  const answers = new Answers(document);
  const wrong = operationsOf(document).flatMap(({ id, parameters }) =>
    parameters
      .map(({ name, schema, example = schema.example }) => ({ name, schema, example }))
      .filter(({ schema, example }) => example !== undefined && answers.faults(schema, example).length)
      .map(({ name }) => `${id}: ${name}`),
  );
  expect(wrong).toEqual([]);
});

describe('the descriptions of fields and parameters', () => {
  const document = committedDescription();

  it('are absent only where the name says all', () => {
    const bare = fieldsOf(document).filter(({ schema }) => !schema.description);
    expect([...new Set(bare.map(({ name }) => name))].sort()).toEqual(plainNames);
  });

  it('say how many decimals a number of a request may have', () => {
    const requests = Object.entries<Json>(document.components.schemas).filter(([name]) => !/View/.test(name));
    const silent = decimalsOf(requests).filter(
      (text) => !/It may have (as many|at most \d+) decimals/.test(text),
    );
    expect(silent).toEqual([]);
  });

  it('are absent only from ids in addresses', () => {
    const bare = operationsOf(document, '/')
      .flatMap(({ parameters }) => parameters)
      .filter(({ description }) => !description);
    expect(new Set(bare.map((each) => `${each.in} ${each.name}`))).toEqual(
      new Set(['path id', 'path roleId', 'path deliveryId']),
    );
  });
});

it('describes the Idempotency-Key, and that a webhook needs at least one event', () => {
  const document = committedDescription();
  const keys = operationsOf(document)
    .flatMap(({ parameters }) => parameters)
    .filter(({ name }) => name === 'Idempotency-Key');
  expect(new Set(keys.map(({ schema }) => schema.pattern))).toEqual(new Set(['^[ -~]{1,255}$']));
  expect(document.components.schemas.WebhookInput.properties.events.minItems).toBe(1);
});

function numbersOf(document: Json): { name: string; schema: Json }[] {
  return fieldsOf(document).filter(({ schema }) => ['integer', 'number'].includes(schema.type));
}

/** The descriptions of all numbers that are not whole, in objects or alone. */
function decimalsOf(part: Json): string[] {
  if (!part || typeof part !== 'object') return [];
  const own = part.type === 'number' ? [part.description ?? ''] : [];
  return [...own, ...Object.values<Json>(part).flatMap(decimalsOf)];
}

/** The fields of all described objects, with their names. */
function fieldsOf(part: Json): { name: string; schema: Json }[] {
  if (!part || typeof part !== 'object') return [];
  const own = Array.isArray(part) ? [] : Object.entries<Json>(part.properties ?? {});
  return [...own.map(([name, schema]) => ({ name, schema })), ...Object.values<Json>(part).flatMap(fieldsOf)];
}
