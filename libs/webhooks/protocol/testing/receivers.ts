import { once } from 'node:events';
import { createServer as createHttpServer, type IncomingHttpHeaders, type RequestListener } from 'node:http';
import { createServer as createHttpsServer, type ServerOptions } from 'node:https';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';

/** A receiver on loopback for tests. */
export interface TestReceiver {
  port: number;
  /** Connections that it has accepted so far. */
  connections: number;
  stop(): Promise<void>;
}

const running = new Set<TestReceiver>();

/** Stops all receivers that still run, for afterEach. */
export async function stopReceivers(): Promise<void> {
  await Promise.all([...running].map((receiver) => receiver.stop()));
}

/** A receiver that answers by HTTP. */
export function answering(listener: RequestListener, host?: string, port?: number): Promise<TestReceiver> {
  return listen(createHttpServer(listener), host, port);
}

/** A receiver that answers by HTTPS. */
export function answeringSecurely(
  options: ServerOptions,
  listener: RequestListener,
  host?: string,
  port?: number,
): Promise<TestReceiver> {
  return listen(createHttpsServer(options, listener), host, port);
}

/** A receiver that does anything with the connection, once the request has begun to arrive. */
export function misbehaving(onRequest: (socket: Socket) => void): Promise<TestReceiver> {
  return listen(createServer((socket) => socket.once('data', () => onRequest(socket))));
}

/** A received request. */
export interface Received {
  headers: IncomingHttpHeaders;
  body: string;
}

/** A listener that notes requests and answers 204. */
export function noting(received: Received[]): RequestListener {
  return async (request, reply) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    received.push({ headers: request.headers, body: Buffer.concat(chunks).toString() });
    reply.writeHead(204).end();
  };
}

async function listen(server: Server, host = '127.0.0.1', port = 0): Promise<TestReceiver> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    receiver.connections++;
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
  });
  await once(server.listen(port, host), 'listening');
  const receiver: TestReceiver = {
    port: (server.address() as AddressInfo).port,
    connections: 0,
    async stop() {
      if (!running.delete(receiver)) return;
      for (const socket of sockets) socket.destroy();
      await once(server.close(), 'close');
    },
  };
  running.add(receiver);
  return receiver;
}
