import { grantScope, narrow } from './scopes';

describe('grantScope', () => {
  it.each([
    [undefined, ['/.default']],
    [[], ['/.default']],
    [['https://api.example.com/.default'], ['https://api.example.com/.default']],
    [['matters:read'], ['matters:read']],
    [
      ['matters:read', 'etl:write', 'matters:read'],
      ['matters:read', 'etl:write'],
    ],
    [['matters:read', 'https://api.example.com/.default'], undefined],
    [['a/.default', 'b/.default'], undefined],
    [['matters:delete'], undefined],
    [['matters:read', 'nonsense'], undefined],
  ])('of %j is %j', (asked, scope) => {
    expect(grantScope(asked)).toEqual(scope);
  });
});

describe('narrow', () => {
  const granted = new Set(['matters:read', 'clients:read']);

  it('gives everything granted for a default scope', () => {
    expect(narrow(granted, '/.default')).toBe(granted);
    expect(narrow(granted, 'https://api.example.com/.default')).toBe(granted);
  });

  it('never gives more than was granted', () => {
    expect(narrow(granted, 'matters:read matters:write')).toEqual(new Set(['matters:read']));
  });
});
