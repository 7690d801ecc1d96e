import { storedSamples } from '../testing/event-samples';
import { shownChanges } from './history-changes';

/** Texts that may look like decimals: numbers that people give. */
const numbers = ['number', 'matterNumber', 'clientNumber', 'registrationNumber', 'taxNumber'];

/** The paths of values that have a form which only events use. */
function stored(data: unknown, path: string): string[] {
  const name = path.split('/').at(-1)!;
  if (typeof data === 'string') {
    const isDecimal = /^-?\d+(\.\d+)?$/.test(data) && !numbers.includes(name);
    const isBareId = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(data) && name !== 'requestId';
    return isDecimal || isBareId ? [path] : [];
  }
  if (Array.isArray(data)) return data.flatMap((one) => stored(one, path));
  if (typeof data !== 'object' || data === null) return [];
  const isMoney = Object.keys(data).sort().join() === 'amount,currency';
  const within = Object.entries(data).flatMap(([field, value]) => stored(value, `${path}/${field}`));
  return isMoney ? [path, ...within] : within;
}

describe('the changes that a history shows', () => {
  const samples = Object.entries(storedSamples()).map(
    ([type, versions]) => [type, Object.values(versions).at(-1)!] as const,
  );

  it.each(samples)('of %s hold no value in a form that only events use', (type, data) => {
    expect(stored(shownChanges(data), type)).toEqual([]);
  });

  it('are the data of the event in the form of records', () => {
    const data = {
      title: 'Advice',
      matterNumber: '2001',
      units: '6.50',
      isBillable: null,
      referenceOwner: 'x',
      rate: { amount: '210.1', currency: 'GBP' },
      entries: [{ rate: '1', per: 'Hour' }],
      content: { key: 'x', size: 5 },
      phones: ['1', '2'],
    };
    expect(shownChanges(data)).toEqual({
      title: 'Advice',
      matterNumber: '2001',
      units: 6.5,
      isBillable: null,
      rate: { Amount: 210.1, Currency: 'GBP' },
      entries: [{ rate: 1, per: 'Hour' }],
      content: { size: 5 },
      phones: ['1', '2'],
    });
  });
});
