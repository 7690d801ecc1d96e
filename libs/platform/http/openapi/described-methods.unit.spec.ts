import { methodsAt } from './described-methods';

describe('the methods at an address', () => {
  it.each([
    ['/acme/api/v1/matters', ['HEAD', 'GET', 'POST']],
    ['/acme/api/v1/matters?pageSize=1', ['HEAD', 'GET', 'POST']],
    ['/acme/api/v1/matters/matter_1', ['HEAD', 'GET', 'PATCH', 'DELETE']],
    ['/acme/api/v1/workitems/finalise', ['POST']],
    ['/oauth2/token', ['POST']],
    ['/acme/api/v1/matters/', []],
    ['/acme/api/v1/matters/1/2/3', []],
    ['/nothing', []],
  ])('such as %s are %j', (url, methods) => {
    expect(methodsAt(url)).toEqual(methods);
  });
});
