import { Examples, type Schema, type Schemas } from './openapi-examples';

const text = { type: 'string' };
const nullable = { ...text, nullable: true };
const number = { type: 'integer' };
const reference = (name: string) => ({ $ref: `#/components/schemas/${name}` });

const schemas: Schemas = {
  Price: {
    type: 'object',
    required: ['amount'],
    properties: { amount: { ...number, example: 250 }, currency: { ...nullable, example: 'GBP' } },
  },
  Input: {
    type: 'object',
    required: ['name', 'kind', 'reason'],
    properties: {
      name: { ...text, example: 'Search' },
      kind: { type: 'string', enum: ['Bought', 'Expected'] },
      reason: text,
      note: nullable,
      price: { type: 'object', nullable: true, allOf: [reference('Price')] },
      codes: { type: 'array', items: { ...text, example: 'E112' } },
      tags: { type: 'array', items: text },
    },
  },
  View: {
    type: 'object',
    required: ['id', 'version', 'name', 'note', 'prices', 'state', 'stateName', 'madeOn', 'isUsed', 'tags'],
    properties: {
      id: text,
      version: number,
      name: text,
      note: nullable,
      prices: { type: 'array', items: reference('Price') },
      state: { ...number, description: '1 Active, 2 Inactive' },
      stateName: text,
      madeOn: { ...text, format: 'date-time' },
      isUsed: { type: 'boolean' },
      tags: { type: 'array', items: text },
      ownerName: { ...nullable, description: 'On GET' },
    },
  },
};

function examples(): Examples {
  const all = new Examples(schemas);
  all.learn(reference('View'), { ...all.request(reference('Input')), id: 'code_1' });
  return all;
}

const inEnvelope = (data: Schema): Schema => ({ type: 'object', required: ['data'], properties: { data } });

it('sends what is required, and what has an example', () => {
  expect(examples().request(reference('Input'))).toEqual({
    name: 'Search',
    kind: 'Bought',
    reason: 'Agreed with the client',
    price: { amount: 250, currency: 'GBP' },
    codes: ['E112'],
  });
});

it('answers with the record that was sent', () => {
  expect(examples().answer(inEnvelope(reference('View')))).toEqual({
    data: {
      id: 'code_1',
      version: 1,
      name: 'Search',
      note: null,
      prices: [{ amount: 250, currency: 'GBP' }],
      state: 1,
      stateName: 'Active',
      madeOn: '2025-06-12T10:00:00.000Z',
      isUsed: true,
      tags: [],
    },
  });
});

it('answers a change with the id of the record', () => {
  const data = { oneOf: [text, reference('View')] };
  expect(examples().answer(inEnvelope(data))).toEqual({ data: 'code_1' });
  expect(examples().isOfRecord(data)).toBe(true);
  expect(examples().isOfRecord(reference('Price'))).toBe(false);
});
