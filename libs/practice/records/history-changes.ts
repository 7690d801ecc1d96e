import { type Money, moneyRecord } from '#kernel/money';

/** Names of decimal fields: events store them as text, answers show them as numbers. */
const decimals = new Set(['amount', 'minutesPerUnit', 'percent', 'quantity', 'rate', 'total', 'units']);

/** Names of internal fields, which have no meaning for clients: the owner of a reference, the storage key of bytes. */
const internal = new Set(['referenceOwner', 'key']);

/** The data of an event in the form in which records show their fields. */
export function shownChanges(data: object): object {
  const fields = Object.entries(data).filter(([name]) => !internal.has(name));
  return Object.fromEntries(fields.map(([name, value]) => [name, shown(name, value)]));
}

function shown(name: string, value: unknown): unknown {
  if (typeof value === 'string') return decimals.has(name) ? Number(value) : value;
  if (Array.isArray(value)) return value.map((one) => shown(name, one));
  if (typeof value !== 'object' || value === null) return value;
  return isMoney(value) ? moneyRecord(value) : shownChanges(value);
}

function isMoney(value: object): value is Money {
  return Object.keys(value).sort().join() === 'amount,currency';
}
