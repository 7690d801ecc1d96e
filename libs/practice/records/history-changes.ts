import { type Money, moneyRecord } from '#kernel/money';

/** Decimals, which events keep as text: they are numbers in answers. */
const decimals = new Set(['amount', 'minutesPerUnit', 'percent', 'quantity', 'rate', 'total', 'units']);

/** Who gave a reference, where the storage has bytes: of no meaning outside. */
const internal = new Set(['referenceOwner', 'key']);

/** What an event set, as records show it; what is not a field of a record is shown in the same way. */
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
