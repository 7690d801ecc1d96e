import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { contextOf } from '../auth/current-context';
import { busy } from '../database/tenant-shares';
import { Reply } from './reply';

/** Characters of a tenant's answers that may wait to be read: four of the longest pages of a list. */
const MOST_UNREAD = 128_000_000;
/** A connection keeps as much on its way: what is shorter is not counted. */
const SHORT = 64_000;
const UNREAD = busy(
  'answers_unread',
  'Answers to other requests of this tenant have not been read yet: ask again when they are.',
);

/**
 * An answer is in this process's memory until its client has read it. While those of a tenant have not read so much,
 * its other requests are refused, 503 `answers_unread`, before anything is done; what was asked for meanwhile is
 * refused once it was looked up. A stream is made as it is read, and not counted.
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
    const tenantId = contextOf(request)?.tenant.id;
    return tenantId !== undefined && (unread.get(tenantId) ?? 0) > most ? UNREAD : undefined;
  };

  // Once it is known who asks.
  fastify.addHook('preParsing', (request, _reply, _payload, done) => done(refusal(request)));
  // What a request has changed is told whatever waits.
  fastify.addHook('preSerialization', (request, _reply, payload, done) => {
    const isRead =
      request.method === 'GET' && payload instanceof Reply && !(payload.body instanceof Readable);
    const refused = isRead && refusal(request);
    if (refused) done(refused);
    else done(null, payload);
  });
  fastify.addHook('onSend', (request, reply, payload, done) => {
    const context = contextOf(request);
    // Where the client has left before, nothing waits, and nothing tells of its end again.
    if (context && typeof payload === 'string' && payload.length > SHORT && !reply.raw.closed) {
      const { id } = context.tenant;
      count(id, payload.length);
      reply.raw.once('close', () => count(id, -payload.length));
    }
    done();
  });
}
