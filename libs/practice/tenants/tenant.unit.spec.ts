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

it.each(['constructor', 'toString', '__proto__', 'hasOwnProperty'])('has no setting %s', (name) => {
  expect(refusal(Object.fromEntries([[name, '1']]))).toBe('unknown_setting');
});

it.each([
  ['firmName', ' '],
  ['firmName', 'a\nb'],
  ['firmName', 'x'.repeat(201)],
])('refuses %s=%.20j', (name, text) => {
  expect(refusal({ [name]: text })).toBe('invalid_setting');
});
