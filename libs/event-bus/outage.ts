import { isConnectionLost } from '#platform/database/connection-lost';

/** What carries the events is away or does not answer, so that nothing gets on until it is back. */
export class CarrierAway extends Error {}

/** Whether an error, or what caused it, is an outage and no fault of the program. */
export function isOutage(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return error instanceof CarrierAway || isConnectionLost(error) || isOutage(error.cause);
}
