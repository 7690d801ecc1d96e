import type { LoggerService } from '@nestjs/common';
import { type Logger, pino } from 'pino';

/** Contexts in which Nest reports a failed start, which runProcess tells in one line. */
const START_CONTEXTS: ReadonlySet<unknown> = new Set(['ExceptionHandler', 'NestApplication']);

/** Contexts in which Nest lists what it has put together, dozens of lines at each start. */
const ASSEMBLY_CONTEXTS: ReadonlySet<unknown> = new Set([
  'InstanceLoader',
  'RoutesResolver',
  'RouterExplorer',
  'NestFactory',
  'GraphQLModule',
]);

/** Nest's logger as JSON lines on standard output; an object's fields become fields of the line. */
export class JsonLogger implements LoggerService {
  private readonly pino: Logger;

  constructor(level: string) {
    this.pino = pino({
      level,
      base: { pid: process.pid },
      redact: ['*.authorization', '*.client_secret', '*.password'],
    });
  }

  log(message: unknown, ...rest: unknown[]): void {
    this.write(ASSEMBLY_CONTEXTS.has(rest.at(-1)) ? 'debug' : 'info', message, rest);
  }
  error(message: unknown, ...rest: unknown[]): void {
    if (START_CONTEXTS.has(rest.at(-1))) return;
    this.write('error', message, rest);
  }
  warn(message: unknown, ...rest: unknown[]): void {
    this.write('warn', message, rest);
  }
  debug(message: unknown, ...rest: unknown[]): void {
    this.write('debug', message, rest);
  }
  verbose(message: unknown, ...rest: unknown[]): void {
    this.write('trace', message, rest);
  }

  /** Nest passes the context last, and a stack before it. */
  private write(
    level: 'info' | 'error' | 'warn' | 'debug' | 'trace',
    message: unknown,
    rest: unknown[],
  ): void {
    const context = rest.at(-1);
    const stack = rest.length > 1 ? rest[0] : undefined;
    const fields = typeof message === 'object' && message !== null ? message : { msg: String(message) };
    this.pino[level]({ context, stack, ...fields });
  }
}
