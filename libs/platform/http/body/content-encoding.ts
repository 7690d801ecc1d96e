import type { FastifyInstance } from 'fastify';

/**
 * Refuses bodies with a Content-Encoding (RFC 9110 section 15.5.16): nothing here decodes them, and a document would be
 * stored as the compressed bytes.
 */
export function refuseEncodedBodies(fastify: FastifyInstance): void {
  fastify.addHook('preParsing', (request, reply, _payload, done) => {
    const coding = request.headers['content-encoding']?.trim().toLowerCase();
    if (!coding || coding === 'identity') return done();
    void reply.header('Accept-Encoding', 'identity');
    done(Object.assign(new Error('The body must come without Content-Encoding.'), { statusCode: 415 }));
  });
}
