import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** A way to a server that can fall silent, as a network that drops every packet: nothing ends, nothing comes. */
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

  /** The server's address by this way. */
  get url(): string {
    const url = new URL(this.target);
    url.hostname = '127.0.0.1';
    url.port = String((this.server.address() as AddressInfo).port);
    return url.href;
  }

  /** From now on, for the connections there are and those to come. */
  fallSilent(): void {
    this.isSilent = true;
    for (const socket of this.sockets) socket.unpipe().pause();
  }

  /** For connections to come: those there are stay silent, and the server has noticed that nobody is there. */
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
