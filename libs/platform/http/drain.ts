import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance, FastifyReply } from 'fastify';

declare module 'fastify' {
  interface FastifyInstance {
    drain: Drain;
  }
}

/** How long a new connection may take to bring its request. A browser opens some connections that never do. */
const FIRST_BYTE_MS = 100;

/** Stops an HTTP server without making a request fail. */
export class Drain {
  private begun = false;
  private readonly connections = new Set<Socket>();
  private readonly inHand = new Set<FastifyReply>();

  constructor(private readonly fastify: FastifyInstance) {
    fastify.server.on('connection', (socket: Socket) => {
      this.connections.add(socket);
      socket.once('close', () => {
        this.connections.delete(socket);
        // After Node has told the answer whose turn it is.
        process.nextTick(() => this.tellOfClose(socket));
      });
    });
    fastify.addHook('onRequest', (_request, reply, done) => {
      this.inHand.add(reply);
      reply.raw.once('close', () => this.inHand.delete(reply));
      done();
    });
    // Needed when the application is closed without a drain.
    fastify.addHook('preClose', (done) => {
      this.begin();
      done();
    });
  }

  static of(app: NestFastifyApplication): Drain {
    return (app.getHttpAdapter().getInstance() as unknown as FastifyInstance).drain;
  }

  /** Whether the drain has begun, so that traffic should go elsewhere. */
  get isBegun(): boolean {
    return this.begun;
  }

  /**
   * Ends the server. From now on every answer closes its connection. If a connection is open at first, requests are
   * accepted for `graceMs`: a proxy may be sending on one that it keeps, and has yet to see that this process is no
   * longer ready. After that no request is accepted. Resolves when all requests have been answered.
   */
  async run(graceMs: number): Promise<void> {
    const { server } = this.fastify;
    this.begin();
    if (!server.listening) return;
    if (this.connections.size > 0) await delay(graceMs);
    // Node closes idle connections, but not those that have never brought a request.
    const closed = new Promise((close) => server.close(close));
    const unused = setTimeout(() => {
      for (const socket of this.connections) if (socket.bytesRead === 0) socket.destroy();
    }, FIRST_BYTE_MS);
    await closed;
    clearTimeout(unused);
  }

  /** Closes every connection at once. */
  cut(): void {
    this.fastify.server.closeAllConnections();
  }

  /** The requests that have not ended yet, by route: an address may reveal whom it is about. */
  pending(): string {
    const routes = new Set(
      [...this.inHand].map(({ request }) => `${request.method} ${request.routeOptions.url ?? 'none'}`),
    );
    if (routes.size === 0) return `${this.connections.size} connection(s) without a whole request`;
    return `${this.inHand.size} request(s): ${[...routes].join(', ')}`;
  }

  /**
   * Emits `close` for the answers that wait behind others on a closed connection. Node does not do that, and what such
   * an answer holds would be kept forever.
   */
  private tellOfClose(socket: Socket): void {
    for (const { raw, request } of this.inHand) {
      if (request.raw.socket !== socket || raw.closed) continue;
      // The same marks that Node sets on the answer whose turn it is.
      Object.assign(raw, { destroyed: true, _closed: true });
      raw.emit('close');
    }
  }

  private begin(): void {
    if (this.begun) return;
    this.begun = true;
    const { server } = this.fastify;
    for (const { raw } of this.inHand) if (!raw.headersSent) raw.setHeader('Connection', 'close');
    // Before Fastify's own listener, so that no answer goes without the header.
    server.prependListener('request', (_request, response) => {
      response.setHeader('Connection', 'close');
    });
    // A streamed answer has already promised to keep its connection: it is kept for a second, which Node adds, not for
    // 72.
    server.keepAliveTimeout = 1;
  }
}
