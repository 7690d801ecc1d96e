import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { malformed } from '#kernel/errors';
import { toProblem } from './problem';
import { newTraceId } from './trace';

/** Statuses by Node's error code, for requests that it could not read. Any other such request is malformed (400). */
const STATUS: Record<string, number> = { HPE_HEADER_OVERFLOW: 431, ERR_HTTP_REQUEST_TIMEOUT: 408 };
const DETAILS: Record<number, string> = {
  400: 'This is not a request of HTTP.',
  408: 'The request did not come in time.',
  417: 'The only expectation that can be met is 100-continue.',
  431: 'Address and headers are too large: 16 KiB are allowed.',
};

/** Answers a client whose request Node could not read, on the bare connection, and closes the connection. */
export function answerClientError(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return;
  const statusCode = STATUS[error.code ?? ''] ?? 400;
  const { headers, text } = lastAnswer(statusCode, '', newTraceId(undefined));
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  if (socket.writable)
    socket.write(`HTTP/1.1 ${statusCode} ${STATUS_CODES[statusCode]}\r\n${lines.join('')}\r\n${text}`);
  socket.destroy(error);
}

/** Answers requests with an `Expect` other than `100-continue`, which never reach a route, and closes their connections. */
export function answerExpectations(server: Server): void {
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    const { headers, text } = lastAnswer(417, request.url ?? '', newTraceId(request.headers.traceparent));
    response.writeHead(417, headers).end(text);
  });
}

/**
 * Refuses a request of HTTP/1.1 that names no host, and closes its connection. Node would do so without a problem, unless
 * told otherwise.
 * @see RFC 9112, section 3.2
 */
export function refuseWithoutHost(fastify: FastifyInstance): void {
  fastify.addHook('onRequest', ({ raw }, reply, done) => {
    if (raw.httpVersion !== '1.1' || raw.headers.host !== undefined) return done();
    void reply.header('Connection', 'close');
    done(malformed('malformed_request', 'The request has no Host header.'));
  });
}

/** The answer after which a connection is closed. */
function lastAnswer(statusCode: number, url: string, traceId: string) {
  const refusal = Object.assign(new Error(DETAILS[statusCode]), { statusCode });
  const { headers, body } = toProblem(refusal, url, traceId);
  const text = JSON.stringify(body);
  return {
    headers: {
      ...headers,
      'Content-Length': Buffer.byteLength(text),
      'X-Trace-Id': traceId,
      Connection: 'close',
    },
    text,
  };
}
