import { AsyncLocalStorage, AsyncResource } from 'node:async_hooks';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { freeRequestsEarly } from './short-lived-objects';

const MIB = 1024 ** 2;

/** V8's collector, offered to contexts that are made after it was allowed. */
function collector(): (options?: { type: 'minor' }) => void {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc');
}

beforeAll(freeRequestsEarly);

describe('a function that an AsyncResource has bound', () => {
  it('is called with its arguments and the this of its caller, or with the given one', () => {
    const resource = new AsyncResource('request');
    function told(this: unknown, ...values: number[]) {
      return [this, ...values];
    }
    const [caller, given] = [{ bound: resource.bind(told) }, {}];
    expect(caller.bound(1, 2)).toEqual([caller, 1, 2]);
    expect(caller.bound(1)[0]).toBe(caller);
    expect((resource.bind as (work: typeof told, thisArg: object) => typeof told)(told, given)(3)[0]).toBe(
      given,
    );
  });

  it('has the length of the function', () => {
    expect(new AsyncResource('request').bind((_one: number, _other: number) => undefined)).toHaveLength(2);
  });

  it('runs in the context in which the resource was made', () => {
    const storage = new AsyncLocalStorage<string>();
    const bound = storage.run('the request', () =>
      new AsyncResource('request').bind(() => storage.getStore()),
    );
    expect(storage.run('another', bound)).toBe('the request');
    expect(AsyncResource.bind(() => storage.getStore())()).toBeUndefined();
  });

  it('is freed with all that it refers to by a collection of the young generation', () => {
    const collect = collector();
    collect();
    const before = process.memoryUsage().heapUsed;
    for (let number = 0; number < 20_000; number++) {
      const request = new Array(200).fill(number);
      new AsyncResource('request').bind(() => request)();
      if (number % 500 === 0) collect({ type: 'minor' });
    }
    // Two collections free what the first one has only moved.
    collect({ type: 'minor' });
    collect({ type: 'minor' });
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(4 * MIB);
  });
});
