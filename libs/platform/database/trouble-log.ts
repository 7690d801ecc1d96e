import type { Logger } from '@nestjs/common';
import { isTransient } from './connection-lost';

/**
 * Logs that work is held up or given up: a warning when a database is the reason, which may answer again, and otherwise
 * an error.
 */
export function logTrouble(log: Logger, line: string | object, error: unknown): void {
  // The event store gives an outage as the cause of its refusal.
  if (isTransient((error as Error).cause ?? error)) log.warn(line);
  else log.error(line);
}
