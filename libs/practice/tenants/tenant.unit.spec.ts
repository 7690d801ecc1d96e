import { DomainError } from '#kernel/errors';
import { changeSettings, newTenant, Tenant } from './tenant';

const state = Tenant.evolve(undefined, newTenant('Acme', 'uk')[0]);

function refusal(given: Record<string, string>): string | undefined {
  try {
    changeSettings(state, given, false);
  } catch (error) {
    return (error as DomainError).code;
  }
}

it.each(['constructor', 'toString', '__proto__', 'hasOwnProperty'])('a tenant has no setting %s', (name) => {
  expect(refusal(Object.fromEntries([[name, '1']]))).toBe('unknown_setting');
});

it('a tenant makes no event of values that are equal to its own, however they are written', () => {
  const same = { minutesPerUnit: '06.00', timeZone: 'europe/london', autoFinaliseWorkItems: 'true' };
  expect(changeSettings(state, same, true)).toEqual([]);
});

it.each([
  ['minutesPerUnit', '07', '7'],
  ['minutesPerUnit', '10.00', '10'],
  ['minutesPerUnit', '7.50', '7.5'],
  ['minutesPerUnit', '0.0001', '0.0001'],
  ['timeZone', 'australia/SYDNEY', 'Australia/Sydney'],
])('a tenant stores %s=%s as %s', (name, given, kept) => {
  const data = { [name]: kept };
  expect(changeSettings(state, { [name]: given }, false)).toEqual([{ type: 'TenantSettingsChanged', data }]);
});

it.each([
  ['timeZone', 'local'],
  ['timeZone', 'UTC+3'],
  ['timeZone', '+03:00'],
  ['minutesPerUnit', '00.0'],
  ['firmName', ' '],
  ['firmName', 'a\nb'],
  ['firmName', 'x'.repeat(201)],
])('a tenant refuses %s=%.20j', (name, text) => {
  expect(refusal({ [name]: text })).toBe('invalid_setting');
});
