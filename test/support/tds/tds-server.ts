import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { localCertificate } from './certificate';
import type { Faults } from './faults';
import { type LoginSeen, Session, type SessionContext } from './session';
import { type ConnectionStringParts, connectionStringOf, type TdsOptions, withDefaults } from './tds-options';

/**
 * Speaks TDS 7.4 and 8.0 like SQL Server, on 127.0.0.1, and answers the statements of an import from PostgreSQL.
 * Everything else is a syntax error.
 * @see https://learn.microsoft.com/openspecs/windows_protocols/ms-tds
 */
export class TdsServer {
  readonly faults: Faults;
  /** All attempts to log in. */
  readonly logins: readonly LoginSeen[];
  /** All statements, as they came. */
  readonly queries: string[];
  private readonly sessions = new Set<Session>();
  private readonly server: Server;

  private constructor(
    private readonly context: SessionContext,
    /** Certificate authority for clients to trust, PEM. */
    readonly caCertificate: string,
  ) {
    ({ faults: this.faults, logins: this.logins, queries: this.queries } = context);
    this.server = createServer((socket) => this.accept(socket));
  }

  static async start(options: TdsOptions): Promise<TdsServer> {
    const { database: url, certificate, port = 0, ...others } = withDefaults(options);
    const { key, cert, ca } = certificate
      ? { ...certificate, ca: certificate.cert }
      : await localCertificate();
    const shared = { faults: {}, logins: [], queries: [] };
    const context: SessionContext = { ...others, url, identity: { key, cert }, ...shared };
    const server = new TdsServer(context, ca);
    await once(server.server.listen(port, '127.0.0.1'), 'listening');
    return server;
  }

  get host(): string {
    return 'localhost';
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** The number of open connections. */
  get connections(): number {
    return this.sessions.size;
  }

  /** A connection string of ADO.NET, as a customer would write it. */
  connectionString(parts: ConnectionStringParts = {}): string {
    return connectionStringOf({ ...this.context, host: this.host, port: this.port, ...parts });
  }

  /** Ends every connection. */
  async close(): Promise<void> {
    const ended = once(this.server.close(), 'close');
    for (const session of this.sessions) session.end();
    await Promise.all([...this.sessions].map(({ closed }) => closed));
    await ended;
  }

  private accept(socket: Socket): void {
    if (this.faults.refuseConnections) return void socket.resetAndDestroy();
    const session = new Session(socket, this.context);
    this.sessions.add(session);
    void session.closed.then(() => this.sessions.delete(session));
  }
}
