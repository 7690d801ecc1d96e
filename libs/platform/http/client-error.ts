import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { toProblem } from './problem';
import { newTraceId } from './trace';

/** Statuses by Node's error code, for requests that it could not read. Any other such request is malformed (400). */
const STATUS: Record<string, number> = { HPE_HEADER_OVERFLOW: 431, ERR_HTTP_REQUEST_TIMEOUT: 408 };
const DETAILS: Record<number, string> = {
  400: 'This is not a request of HTTP.',
  408: 'The request did not come in time.',
  431: 'Address and headers are too large: 16 KiB are allowed.',
};

/** Answers a client whose request Node could not read, on the bare connection, and closes the connection. */
export function answerClientError(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return;
  const statusCode = STATUS[error.code ?? ''] ?? 400;
  const traceId = newTraceId(undefined);
  const refusal = Object.assign(new Error(DETAILS[statusCode]), { statusCode });
  const { headers, body } = toProblem(refusal, '', traceId);
  const text = JSON.stringify(body);
  const lines = Object.entries({
    ...headers,
    'Content-Length': Buffer.byteLength(text),
    'X-Trace-Id': traceId,
    Connection: 'close',
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  if (socket.writable)
    socket.write(`HTTP/1.1 ${statusCode} ${STATUS_CODES[statusCode]}\r\n${lines.join('')}\r\n${text}`);
  socket.destroy(error);
}
