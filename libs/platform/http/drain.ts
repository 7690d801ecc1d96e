import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance, FastifyReply } from 'fastify';

declare module 'fastify' {
  interface FastifyInstance {
    drain: Drain;
  }
}

/** How long a connection that was just made may take to bring its request; a browser opens some that never do. */
const FIRST_BYTE_MS = 100;

/** Ends an HTTP server so that no request fails of it. */
export class Drain {
  private begun = false;
  private readonly connections = new Set<Socket>();
  private readonly inHand = new Set<FastifyReply>();

  constructor(private readonly fastify: FastifyInstance) {
    fastify.server.on('connection', (socket: Socket) => {
      this.connections.add(socket);
      socket.once('close', () => {
        this.connections.delete(socket);
        // When the answer whose turn it was has been told of it.
        process.nextTick(() => this.tellOfClose(socket));
      });
    });
    fastify.addHook('onRequest', (_request, reply, done) => {
      this.inHand.add(reply);
      reply.raw.once('close', () => this.inHand.delete(reply));
      done();
    });
    // Also where the application is closed without a drain.
    fastify.addHook('preClose', (done) => {
      this.begin();
      done();
    });
  }

  static of(app: NestFastifyApplication): Drain {
    return (app.getHttpAdapter().getInstance() as unknown as FastifyInstance).drain;
  }

  /** Traffic should go elsewhere. */
  get isBegun(): boolean {
    return this.begun;
  }

  /**
   * From now on every answer ends its connection. While any is open at first, requests are accepted for `graceMs`: a
   * proxy may be sending on one that it keeps, and has yet to see that this process is not ready any more. Then no
   * more are accepted. Resolves when all requests have been answered.
   */
  async run(graceMs: number): Promise<void> {
    const { server } = this.fastify;
    this.begin();
    if (!server.listening) return;
    if (this.connections.size > 0) await delay(graceMs);
    // Node ends the idle connections, though not those that have never brought a request.
    const closed = new Promise((close) => server.close(close));
    const unused = setTimeout(() => {
      for (const socket of this.connections) if (socket.bytesRead === 0) socket.destroy();
    }, FIRST_BYTE_MS);
    await closed;
    clearTimeout(unused);
  }

  /** Breaks every connection off. */
  cut(): void {
    this.fastify.server.closeAllConnections();
  }

  /** What has not ended yet, by route: an address may tell whom it is about. */
  pending(): string {
    const routes = new Set(
      [...this.inHand].map(({ request }) => `${request.method} ${request.routeOptions.url ?? 'none'}`),
    );
    if (routes.size === 0) return `${this.connections.size} connection(s) without a whole request`;
    return `${this.inHand.size} request(s): ${[...routes].join(', ')}`;
  }

  /** Node says nothing of it to answers that wait for others of their connection: what holds one would keep it for ever. */
  private tellOfClose(socket: Socket): void {
    for (const { raw, request } of this.inHand) {
      if (request.raw.socket !== socket || raw.closed) continue;
      // As Node marks the one whose turn it is.
      Object.assign(raw, { destroyed: true, _closed: true });
      raw.emit('close');
    }
  }

  private begin(): void {
    if (this.begun) return;
    this.begun = true;
    const { server } = this.fastify;
    for (const { raw } of this.inHand) if (!raw.headersSent) raw.setHeader('Connection', 'close');
    // Before Fastify's own listener, so that no answer goes without it.
    server.prependListener('request', (_request, response) => {
      response.setHeader('Connection', 'close');
    });
    // An answer that is being streamed has promised to keep its connection: for a second (Node adds it), not for 72.
    server.keepAliveTimeout = 1;
  }
}
