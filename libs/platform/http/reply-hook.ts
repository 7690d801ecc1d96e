import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { Reply, setRateLimitHeaders } from './reply';

/**
 * Writes the answer of a Reply, and holds every answer until the rate limit has counted the request. It is a hook of
 * Fastify, and not an interceptor of Nest: with one, each request pays for a bound AsyncResource and an Observable (5 %
 * of a write).
 */
export function registerReplyHook(fastify: FastifyInstance): void {
  fastify.addHook('preSerialization', async (request, reply, payload) => {
    const { caller } = request;
    // A problem has already waited for the limit, in the filter that made it.
    if (reply.statusCode < 400) await caller?.admitted;
    setRateLimitHeaders(reply, caller);
    if (!(payload instanceof Reply)) return payload;
    void reply.status(payload.status).headers(payload.headers);
    // Null, not an empty text: Fastify sends a text's length, and that of a 304 would be taken for the record's (RFC
    // 9110, section 8.6). For a HEAD it asks the length of anything but a stream, of null as well.
    if (payload.body === undefined) {
      const nothing = request.method === 'HEAD' ? Readable.from([]) : null;
      reply.removeHeader('content-type').serializer(() => nothing as unknown as string);
    }
    if (typeof payload.body === 'string') reply.serializer((text: string) => text);
    // The serialiser's result is sent; a stream is sent as it is read.
    const { body } = payload;
    if (body instanceof Readable) reply.serializer(() => body as unknown as string);
    return body ?? {};
  });
}
