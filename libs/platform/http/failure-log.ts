import type { Logger } from '@nestjs/common';
import { DomainError } from '#kernel/errors';
import { isOutage } from '../database/connection-lost';

/**
 * Logs why the service could not answer a request: a fault of the program with its stack and the request's trace id, a
 * database that is away or refuses in a line that is the same for all requests, so that the logger leaves repetitions out.
 */
export function logFailure(log: Logger, failure: unknown, traceId: string): void {
  const error = failure instanceof DomainError ? failure.cause : failure;
  // The refusal needs no explanation: a tenant is closed, for example.
  if (error === undefined) return;
  const { message = String(error), stack } = error as Partial<Error>;
  if (isOutage(error) || failure instanceof DomainError)
    log.warn(`Requests fail because of a database: ${message}`);
  else log.error({ msg: message, traceId, stack });
}
