import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { busy } from '../database/tenant-shares';
import { Reply } from './reply';

/** Characters of a tenant's answers that may wait to be read: as many as in four of the longest pages of a list. */
const MOST_UNREAD = 128_000_000;
/** The buffers of a connection hold as much: shorter answers are not counted. */
const SHORT = 64_000;
const UNREAD = busy(
  'answers_unread',
  'Answers to other requests of this tenant have not been read yet: ask again when they are.',
);

/**
 * Limits the memory that unread answers take: an answer is in this process's memory until its client has read it. While
 * a tenant has more than `most` characters unread, its other requests are refused with 503 `answers_unread` before
 * anything is done, and reads that are under way are refused once their result is there. A stream is produced as it is
 * read, and is not counted.
 * @param most characters
 */
export function registerUnreadAnswers(fastify: FastifyInstance, most = MOST_UNREAD): void {
  const unread = new Map<number, number>();
  const count = (tenantId: number, size: number) => {
    const all = (unread.get(tenantId) ?? 0) + size;
    if (all === 0) unread.delete(tenantId);
    else unread.set(tenantId, all);
  };
  const refusal = (request: FastifyRequest) => {
    const tenantId = request.caller?.tenant.id;
    return tenantId !== undefined && (unread.get(tenantId) ?? 0) > most ? UNREAD : undefined;
  };

  // At this point the caller is known.
  fastify.addHook('preParsing', (request, _reply, _payload, done) => done(refusal(request)));
  // The answer to a write is sent in any case, as it tells what was changed.
  fastify.addHook('preSerialization', (request, _reply, payload, done) => {
    const isRead =
      request.method === 'GET' && payload instanceof Reply && !(payload.body instanceof Readable);
    const refused = isRead && refusal(request);
    if (refused) done(refused);
    else done(null, payload);
  });
  fastify.addHook('onSend', (request, reply, payload, done) => {
    const { caller } = request;
    // If the client has already left, nothing waits, and `close` does not come again.
    if (caller && typeof payload === 'string' && payload.length > SHORT && !reply.raw.closed) {
      const { id } = caller.tenant;
      count(id, payload.length);
      reply.raw.once('close', () => count(id, -payload.length));
    }
    done();
  });
}
