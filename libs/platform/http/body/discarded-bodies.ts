import { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { BODY_MS, UPLOAD_MS } from './upload';

/** The most bytes of a body that is not an upload. */
export const BODY_LIMIT = 1024 ** 2;
/** More than any upload that a route accepts. */
const UPLOAD_LIMIT = 128 * 1024 ** 2;
const LOOK_MS = 100;

/**
 * Limits what is read of a body after its request was refused. Node discards the rest of such a body, for as long as it
 * comes, so that a client that is still sending hears the reason. Here that ends, and the connection with it, after as
 * many bytes and as much time as a body of the route may take.
 */
export function limitDiscardedBodies(
  fastify: FastifyInstance,
  { bytes, ms } = { bytes: BODY_LIMIT, ms: BODY_MS },
): void {
  fastify.addHook('onResponse', ({ raw, routeOptions: { config } }, _reply, done) => {
    const { socket } = raw;
    // What stands for the socket of an injected request is none, and nothing more comes of its body.
    if (!raw.complete && socket instanceof Socket) {
      const most = socket.bytesRead + (config?.upload ? UPLOAD_LIMIT : bytes);
      const until = performance.now() + (config?.upload ? UPLOAD_MS : ms);
      const timer = setInterval(() => {
        if (socket.bytesRead > most || performance.now() > until) socket.destroy();
      }, LOOK_MS).unref();
      raw.once('close', () => clearInterval(timer));
    }
    done();
  });
}
