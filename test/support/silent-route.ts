import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/**
 * A route to a server that can fall silent, like a network that drops every packet: connections stay open and nothing
 * arrives.
 */
export class SilentRoute {
  isSilent = false;
  private readonly sockets = new Set<Socket>();
  private readonly beyond = new Set<Socket>();

  private constructor(
    private readonly server: Server,
    private readonly target: URL,
  ) {
    server.on('connection', (client) => {
      this.keep(client);
      if (this.isSilent) return;
      const there = this.keep(connect(Number(target.port), target.hostname));
      this.beyond.add(there);
      client.pipe(there).pipe(client);
      client.resume();
    });
  }

  /** @param url of the server, postgres://… */
  static async to(url: string): Promise<SilentRoute> {
    const route = new SilentRoute(createServer({ pauseOnConnect: true }), new URL(url));
    await once(route.server.listen(0, '127.0.0.1'), 'listening');
    return route;
  }

  /** The server's address through this route. */
  get url(): string {
    const url = new URL(this.target);
    url.hostname = '127.0.0.1';
    url.port = String((this.server.address() as AddressInfo).port);
    return url.href;
  }

  /** Makes existing and new connections silent. */
  fallSilent(): void {
    this.isSilent = true;
    for (const socket of this.sockets) socket.unpipe().pause();
  }

  /** Lets new connections through. Existing ones stay silent, and the server learns that their clients are gone. */
  speak(): void {
    this.isSilent = false;
    for (const socket of this.beyond) socket.destroy();
  }

  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await once(this.server.close(), 'close');
  }

  private keep(socket: Socket): Socket {
    this.sockets.add(socket);
    socket.on('error', () => undefined);
    return socket;
  }
}
