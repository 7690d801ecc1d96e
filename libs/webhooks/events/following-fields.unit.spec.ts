import { eventTypes } from './event-types';
import { following, withFollowing } from './following-fields';

const inner = ['workitem.minutesPerUnit', 'document.content'];

it.each(Object.entries(following))('names only fields that a %s has', (kind, fields) => {
  const { schema } = eventTypes().find(({ name }) => name === `${kind}.created`)!;
  const [record] = schema.properties.data.properties.data.anyOf;
  const set = Object.keys(fields).filter((name) => !inner.includes(`${kind}.${name}`));
  expect(Object.keys(record.properties)).toEqual(
    expect.arrayContaining([...set, ...Object.values(fields).flat()]),
  );
});

it.each([
  ['entity', ['lastName', 'firstName'], ['firstName', 'fullName', 'lastName', 'sortName']],
  ['matter', ['title'], ['sortTitle', 'title']],
  ['matter', ['clientId'], ['clientEntityId', 'clientId', 'clientSortName']],
  [
    'workitem',
    ['durationTicks', 'units', 'total', 'entryDay'],
    ['durationTicks', 'remaining', 'remainingUnits', 'total', 'totalBase', 'unitDuration', 'units'],
  ],
  ['workitem', ['minutesPerUnit'], ['unitDuration']],
  ['costrecovery', ['quantity', 'total'], ['quantity', 'remaining', 'remainingQuantity', 'total']],
  ['document', ['content', 'referenceOwner'], ['sha256', 'size', 'versions']],
  ['role', ['name', 'constructor'], ['constructor', 'name']],
])('finds all fields of a %s that change when %j are set', (kind, set, changed) => {
  expect(withFollowing(kind, set).sort()).toEqual(changed);
});
