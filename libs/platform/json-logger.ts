import type { LoggerService } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { type Logger, pino } from 'pino';
import { SonicBoom } from 'sonic-boom';

/** Contexts in which Nest reports a failed start. runProcess reports it in one line. */
const START_CONTEXTS: ReadonlySet<unknown> = new Set(['ExceptionHandler', 'NestApplication']);

/** Contexts in which Nest lists the parts of the application, dozens of lines at each start. */
const ASSEMBLY_CONTEXTS: ReadonlySet<unknown> = new Set([
  'InstanceLoader',
  'RoutesResolver',
  'RouterExplorer',
  'NestFactory',
  'GraphQLModule',
]);

/** Characters of lines that may wait to be read. */
const MOST_WAITING = 16 * 1024 * 1024;
/** Errors that end when somebody makes room. */
const DISK_FULL: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT']);
/** How long the end of a process waits for lines to be read. */
const FLUSH_MS = 1_000;

/** How often a line with the same words is written. */
const REMINDER_MS = 60_000;
/** How many different lines are known as written. */
const MOST_TOLD = 1_000;

/**
 * Nest's logger as JSON lines on standard output; an object's fields become fields of the line.
 * While a database is away, for example, much is tried again every second. So a line that repeats is written once a minute
 * for each tenant, with `leftOut`, the number of lines that differed in their other fields alone. Faults of the program,
 * and what is logged for debugging, are all written.
 */
export class JsonLogger implements LoggerService {
  private readonly pino: Logger;
  /** By context, tenant and words: when the line was last written, on performance.now, and how many were left out since. */
  private readonly told = new LRUCache<string, { at: number; leftOut: number }>({ max: MOST_TOLD });

  constructor(level: string) {
    const options = {
      level,
      base: { pid: process.pid },
      redact: ['*.authorization', '*.client_secret', '*.password'],
    };
    this.pino = pino(options, this.standardOutput());
  }

  /**
   * Standard output whose reader cannot hold up the process: lines that are not read in time are dropped, and nothing
   * waits for them.
   */
  private standardOutput(): SonicBoom {
    let giveUpAt = Number.POSITIVE_INFINITY;
    const output = new SonicBoom({
      fd: process.stdout.fd,
      maxLength: MOST_WAITING,
      retryEAGAIN: () => Date.now() < giveUpAt,
    });
    output.on('error', ({ code }: NodeJS.ErrnoException) => {
      // Of a full disk the next line tries again. Otherwise the reader is gone, and there is no one else to tell.
      if (!DISK_FULL.has(code)) this.pino.level = 'silent';
    });
    process.on('exit', () => {
      giveUpAt = Date.now() + FLUSH_MS;
      try {
        output.flushSync();
      } catch {
        // The reader is gone; the process ends all the same.
      }
    });
    return output;
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

  /** Nest passes the context last, and a stack, if any, before it. */
  private write(
    level: 'info' | 'error' | 'warn' | 'debug' | 'trace',
    message: unknown,
    rest: unknown[],
  ): void {
    const context = rest.at(-1);
    const stack = rest.length > 1 ? rest[0] : undefined;
    const line = { context, stack, ...fieldsOf(message) };
    if (level === 'debug' || level === 'trace') {
      this.pino[level](line);
      return;
    }
    // A fault of the program is logged with its stack. Somebody may look for it by the trace id of its request.
    const leftOut = line.stack ? 0 : this.leftOut(`${context} ${line.tenant} ${line.msg}`);
    if (leftOut !== undefined) this.pino[level]({ ...line, leftOut: leftOut || undefined });
  }

  /** How many lines with these words were left out before this one; undefined when this one is left out, too. */
  private leftOut(words: string): number | undefined {
    const now = performance.now();
    const told = this.told.get(words);
    if (told && now - told.at < REMINDER_MS) {
      told.leftOut++;
      return undefined;
    }
    this.told.set(words, { at: now, leftOut: 0 });
    return told?.leftOut ?? 0;
  }
}

function fieldsOf(message: unknown): { msg?: unknown; stack?: unknown; tenant?: unknown } {
  // An error's own fields are not enumerable.
  if (message instanceof Error) return { msg: message.message, stack: message.stack };
  return typeof message === 'object' && message !== null ? message : { msg: String(message) };
}
