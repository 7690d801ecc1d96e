import type { Json } from './event-examples';
import { eventTypes } from './event-types';

const examples = (area: string): [string, Json, readonly string[]][] =>
  eventTypes()
    .filter(({ name }) => name.startsWith(`${area}.`))
    .map(({ name, example }) => [name.split('.')[1], example.data.data, example.changed]);

const NOT_ISSUED = ['created', 'updated', 'linesAdded', 'linesRemoved', 'taxed', 'deleted'];
const OWED = ['issued', 'partPaid', 'paymentReversed'];

it.each(examples('invoice'))('the example of an invoice that is %s adds up', (what, record) => {
  const amount = (name: string) => record[name].Amount;
  const sum = (all: Json[]) => all.reduce((total, each) => total + each.Amount, 0);
  expect(amount('net')).toBe(sum(record.lines.map((line: Json) => line.amount)));
  expect(amount('tax')).toBe(sum(record.taxes.map((each: Json) => each.tax)));
  expect(amount('total')).toBe(amount('net') + amount('tax'));
  const standing = record.payments.filter((payment: Json) => payment.reversedDate === null);
  expect(amount('paid')).toBe(sum(standing.map((payment: Json) => payment.amount)));
  const owed = amount('total') - amount('paid') - amount('writtenOff');
  expect(amount('balance')).toBe(OWED.includes(what) ? owed : 0);
  expect(amount('writtenOff')).toBe(what === 'writtenOff' ? amount('total') : 0);
  expect(record.number === null).toBe(NOT_ISSUED.includes(what));
});

it.each([...examples('workitem'), ...examples('costrecovery')])(
  'an example names its invoice only when it is reserved or billed: %s',
  (what, record) => {
    expect(record.invoiceId !== null).toBe(['reserved', 'billed'].includes(what));
    expect(record.remaining.Amount === 0).toBe(['billed', 'writtenOff'].includes(what));
    if (what === 'reserved') expect(record.stateName).toBe('Finalised');
  },
);

it('the example of an entity that was given a role has one', () => {
  const roles = examples('entity').map(([what, { roleIds }]) => [what, roleIds.length]);
  expect(Object.fromEntries(roles)).toMatchObject({ roleAssigned: 1, roleRemoved: 0 });
});

it('the example of a new record names the fields that were set with others as changed', () => {
  const changed = (area: string) => examples(area).find(([what]) => what === 'created')?.[2];
  expect(changed('workitem')).toEqual(expect.arrayContaining(['rateSource', 'total']));
  expect(changed('document')).toEqual(expect.arrayContaining(['size', 'versions']));
});

it('the ids of examples are real ids', () => {
  for (const { name, example } of eventTypes())
    expect([name, JSON.stringify(example)]).toEqual([name, expect.not.stringMatching(/[a-z] id"/)]);
});

it('the example of a tax code that was used is used, and names that as changed', () => {
  const { created, used } = Object.fromEntries(
    examples('taxcode').map(([what, record, changed]) => {
      const { isUsed, rates } = record;
      return [what, { isUsed, ofRates: rates.map((rate: Json) => rate.isUsed), changed }];
    }),
  );
  expect(created).toMatchObject({ isUsed: false, ofRates: [false] });
  expect(used).toEqual({ isUsed: true, ofRates: [true], changed: ['isUsed', 'rates'] });
});
