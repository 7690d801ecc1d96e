import type { DomainError } from '#kernel/errors';
import { RequestPipe } from '#platform/http/input/request.pipe';

/** `pointer code` of each fault for which a request refuses a body of the class; empty if the body is accepted. */
export function bodyFaults(metatype: new () => object, body: object): string[] {
  try {
    new RequestPipe().transform(body, { type: 'body', metatype });
    return [];
  } catch (error) {
    return (error as DomainError).errors.map(({ pointer, code }) => `${pointer} ${code}`);
  }
}
