import type { IncomingHttpHeaders } from 'node:http';
import { type Dispatcher, errors } from 'undici';
import type { OnLine } from './connections';
import { keptText } from './kept-text';

/** How an exchange ended. `error` is absent when the answer arrived whole. */
export interface Exchanged {
  status?: number;
  error?: string;
  detail?: string;
  retryAfter?: string;
  response?: string;
  /** Whether a connection was established: a failure after that is not retried on another address. */
  isConnected: boolean;
  /** Whether a connection that had carried a request before broke off before the status of this one came. */
  wasClosed: boolean;
}

const keptBytes = 20 * 1024;
const keptDetailBytes = 1024;
const keptHeaderCharacters = 100;
const NO_CONTENT = 204;
/**
 * The most interim answers (1xx; RFC 9110, section 15.2) before the answer itself. Without a limit, five receivers that
 * sent them as fast as they could left the process a tenth of its time for everything else.
 */
const MOST_HINTS = 1_000;
const TOO_MANY_HINTS = `More than ${MOST_HINTS} answers of the kind 1xx came before one that counts.`;
/** The message with which undici gives up a connection on a 100 before the answer. */
const BAD_RESPONSE = 'bad response';
const UNASKED = 'The receiver sent 100 Continue, which it was not asked for.';
/**
 * undici's code for an answer that it holds impossible, such as a status below 100. Its message quotes its own source.
 */
const IMPOSSIBLE = 'ERR_ASSERTION';
const IMPOSSIBLE_TOLD = 'The answer is none that HTTP allows.';

const connectErrors: Record<string, string> = {
  UND_ERR_CONNECT_TIMEOUT: 'connect_timeout',
  ETIMEDOUT: 'connect_timeout',
  ECONNREFUSED: 'connection_refused',
  EHOSTUNREACH: 'unreachable',
  ENETUNREACH: 'unreachable',
  EADDRNOTAVAIL: 'unreachable',
  EACCES: 'unreachable',
};

/** Why an attempt ended before its answer was whole. `code` is stable, the message is for people. */
export class Failure extends Error {
  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

/**
 * Ends an attempt from outside, at whatever point it is. An AbortSignal would do the same, but half the cost of a
 * delivery would be its events and errors, which hardly any delivery needs.
 */
export class Ending {
  failure?: Failure;
  private tell?: (failure: Failure) => void;

  /** @param tell is called with the failure; it replaces the function that was set before */
  when(tell: (failure: Failure) => void): void {
    this.tell = tell;
    if (this.failure) tell(this.failure);
  }

  end(failure: Failure): void {
    if (this.failure) return;
    this.failure = failure;
    this.tell?.(failure);
  }
}

export interface Request {
  /** `https://host:port`. */
  origin: string;
  path: string;
  headers: Record<string, string>;
  body: string | Buffer;
}

/**
 * Sends one request and reads its answer, but no more of it than is kept. Nothing of the answer is decompressed.
 * @param connectMs limit for the connection, TLS included
 * @throws when the request cannot be sent at all: a fault of the service
 */
export async function exchange(
  pool: Dispatcher,
  { origin, path, headers, body }: Request,
  connectMs: number,
  ending: Ending,
): Promise<Exchanged> {
  const sent: OnLine = { method: 'POST', path, headers, body };
  const reader = new AnswerReader(origin.startsWith('https:'), sent);
  ending.when((failure) => reader.stop(failure));
  pool.dispatch(sent, reader);
  // A connection that is open already may take the request at once.
  if (reader.isConnected) return reader.ended;
  const timer = setTimeout(() => {
    if (!reader.isConnected) reader.stop(new Failure('connect_timeout', 'No connection within its time.'));
  }, connectMs);
  try {
    return await reader.ended;
  } finally {
    clearTimeout(timer);
  }
}

/** Reads an answer. It settles once, by whatever comes first: the answer, a failure, or `stop`. */
class AnswerReader implements Dispatcher.DispatchHandler {
  readonly ended: Promise<Exchanged>;
  private settle: (exchanged: Exchanged) => void;
  private reject: (error: Error) => void;
  private isSettled = false;
  private controller?: Dispatcher.DispatchController;
  private status?: number;
  private headers: IncomingHttpHeaders = {};
  private readonly chunks: Buffer[] = [];
  private size = 0;
  private hints = 0;
  private isReused = false;

  constructor(
    private readonly isSecure: boolean,
    private readonly sent: OnLine,
  ) {
    this.ended = new Promise((resolve, reject) => {
      this.settle = resolve;
      this.reject = reject;
    });
  }

  get isConnected(): boolean {
    return this.controller !== undefined;
  }

  stop(failure: Failure): void {
    this.end(failure);
    this.controller?.abort(failure);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    // The attempt was stopped while it connected, when there was nothing to abort yet.
    if (this.isSettled) {
      controller.abort(new Error('Nobody waits for it any more.'));
      return;
    }
    this.controller = controller;
    this.isReused = this.sent.line?.begin() ?? false;
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    if (status < 200) {
      if (++this.hints > MOST_HINTS) this.stop(new Failure('protocol', TOO_MANY_HINTS));
      return;
    }
    this.status = status;
    this.headers = headers;
    // A 204 has no body, even if its headers announce one: undici takes such an answer for a broken one.
    if (status === NO_CONTENT) this.end();
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.chunks.push(chunk);
    this.size += chunk.length;
    if (this.size <= keptBytes) return;
    this.end();
    controller.abort(new Error(`More than ${keptBytes} bytes are not read.`));
  }

  onResponseEnd(): void {
    this.end();
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error & { code?: string }): void {
    // The request cannot be sent at all: that is a fault of the service, not of the receiver.
    if (error.code === 'UND_ERR_INVALID_ARG') this.reject(error);
    else this.end(new Failure(this.codeOf(error), wordsOf(error)));
  }

  private end(failure?: Failure): void {
    if (this.isSettled) return;
    this.isSettled = true;
    const encoding = this.header('content-encoding') ?? 'identity';
    const isPlain = encoding.toLowerCase() === 'identity';
    const location = this.header('location');
    const isRedirect = Math.floor((this.status ?? 0) / 100) === 3 && location !== undefined;
    const detail =
      failure?.message ??
      (isRedirect ? `Redirects are not followed (to ${location}).` : undefined) ??
      (isPlain ? undefined : `The answer is encoded (${encoding}) and not kept.`);
    this.settle({
      status: this.status,
      error: failure?.code ?? (isRedirect ? 'redirect' : undefined),
      // Parts of the detail may be the receiver's words, such as the names in its certificate.
      detail: detail && keptText(Buffer.from(detail), keptDetailBytes),
      retryAfter: this.header('retry-after')?.slice(0, keptHeaderCharacters),
      response: isPlain && this.size > 0 ? keptText(Buffer.concat(this.chunks), keptBytes) : undefined,
      isConnected: this.isConnected,
      wasClosed: this.isReused && failure?.code === 'reset' && this.status === undefined,
    });
  }

  /** The first header with the name: a receiver may send any number. */
  private header(name: string): string | undefined {
    const value: string | string[] | undefined = this.headers[name];
    return Array.isArray(value) ? value[0] : value;
  }

  private codeOf(error: Error & { code?: string }): string {
    const { code = '', message } = error;
    if (!this.isConnected) return connectErrors[code] ?? (this.isSecure ? 'tls' : 'reset');
    // With TLS 1.3, a client hears only after connecting that its certificate, or the lack of one, is refused.
    if (/^(ERR_SSL_|ERR_TLS_|EPROTO$)/.test(code)) return 'tls';
    // undici reports "bad response" and "bad upgrade" with the code of a broken connection.
    const isNoHttp = error instanceof errors.HTTPParserError || /^(UND_ERR_HEADERS_|UND_ERR_RES_)/.test(code);
    return isNoHttp || code === IMPOSSIBLE || message.startsWith('bad ') ? 'protocol' : 'reset';
  }
}

/** The error in words for people. */
function wordsOf({ code, message }: Error & { code?: string }): string {
  if (code === IMPOSSIBLE) return IMPOSSIBLE_TOLD;
  return message === BAD_RESPONSE ? UNASKED : message;
}
