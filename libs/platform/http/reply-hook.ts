import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { contextOf } from '../auth/current-context';
import { Reply, setRateLimitHeaders } from './reply';

/**
 * Writes a Reply out, and holds every answer until the rate limit has counted the request. A hook of Fastify's and not
 * an interceptor of Nest's: with one, each request pays for a bound AsyncResource and an Observable (5 % of a write).
 */
export function registerReplyHook(fastify: FastifyInstance): void {
  fastify.addHook('preSerialization', async (request, reply, payload) => {
    const context = contextOf(request);
    // A problem has been held back already, by the filter that made it.
    if (reply.statusCode < 400) await context?.admitted;
    setRateLimitHeaders(reply, context);
    if (!(payload instanceof Reply)) return payload;
    void reply.status(payload.status).headers(payload.headers);
    // Not an empty text: Fastify sends its length, and that of a 304 would be taken for the record's (RFC 9110, section 8.6).
    if (payload.body === undefined)
      reply.removeHeader('content-type').serializer(() => null as unknown as string);
    if (typeof payload.body === 'string') reply.serializer((text: string) => text);
    // What the serialiser answers is sent, a stream as it is read.
    const { body } = payload;
    if (body instanceof Readable) reply.serializer(() => body as unknown as string);
    return body ?? {};
  });
}
