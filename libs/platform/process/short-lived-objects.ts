import { AsyncResource } from 'node:async_hooks';
import { setFlagsFromString } from 'node:v8';

/**
 * Lets a collection of the young generation free what belonged to a request. Otherwise every request that has a body,
 * and every long answer of the database, would be kept until the next collection of the whole heap:
 * - V8 allocates in the old generation what has often survived at some place of the code, as at the start of a process.
 *   What such an object refers to is kept with it.
 * - `AsyncResource.prototype.bind`, which Fastify calls for each body, gives the bound function a deprecated property
 *   (DEP0172). Its accessor has a prototype of its own, which V8 keeps with all that belongs to it.
 *
 * To be called before the first request; a further call changes nothing.
 */
export function freeRequestsEarly(): void {
  setFlagsFromString('--no-allocation-site-pretenuring');
  AsyncResource.prototype.bind = bind;
}

/** As Node's own method, without the property `asyncResource`. */
function bind<Work extends (...values: unknown[]) => unknown>(
  this: AsyncResource,
  work: Work,
  thisArg?: unknown,
): Work {
  const resource = this;
  const bound = function (this: unknown, ...values: unknown[]) {
    return resource.runInAsyncScope(work, thisArg === undefined ? this : thisArg, ...values);
  };
  return Object.defineProperty(bound, 'length', { value: work.length }) as Work;
}
