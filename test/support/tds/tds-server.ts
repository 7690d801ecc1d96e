import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { localCertificate } from './certificate';
import type { Faults } from './faults';
import { type LoginSeen, Session, type SessionContext } from './session';

export interface TdsOptions {
  /** URL of the PostgreSQL database whose schema `etl` has the tables. */
  database: string;
  user?: string;
  password?: string;
  /** Name of the database that clients ask for. */
  name?: string;
  /**
   * `optional` (the default): as the client wants. `required`: refuses a client that wants none. `none`: it has none.
   * `strict`: TLS from the first byte, as TDS 8 has it, and nothing else; `optional` and `required` take that too.
   */
  tls?: 'optional' | 'required' | 'none' | 'strict';
  /** PEM; by default of localhost and 127.0.0.1, signed by an authority of the server's own. */
  certificate?: { key: string; cert: string };
  /** Any that is free by default. */
  port?: number;
}

export interface ConnectionStringParts {
  host?: string;
  user?: string;
  password?: string;
  name?: string;
  encrypt?: 'true' | 'false' | 'strict';
  /** More of it, as `Key=value`. */
  more?: readonly string[];
}

/**
 * Speaks TDS 7.4 and 8.0 as SQL Server does, on 127.0.0.1, and answers from PostgreSQL the statements that an import
 * makes. Everything else is a syntax error.
 * @see https://learn.microsoft.com/openspecs/windows_protocols/ms-tds
 */
export class TdsServer {
  readonly faults: Faults;
  /** Every login that was tried. */
  readonly logins: readonly LoginSeen[];
  /** Every statement, as it came. */
  readonly queries: string[];
  private readonly sessions = new Set<Session>();
  private readonly server: Server;

  private constructor(
    private readonly context: SessionContext,
    /** PEM that clients are to trust. */
    readonly caCertificate: string,
  ) {
    ({ faults: this.faults, logins: this.logins, queries: this.queries } = context);
    this.server = createServer((socket) => this.accept(socket));
  }

  static async start({ database, certificate, port = 0, ...options }: TdsOptions): Promise<TdsServer> {
    const { key, cert, ca } = certificate
      ? { ...certificate, ca: certificate.cert }
      : await localCertificate();
    const defaults = {
      user: 'importer',
      password: 'Read-0nly;by=import',
      name: 'source',
      tls: 'optional',
    } as const;
    const context: SessionContext = {
      ...defaults,
      ...options,
      url: database,
      identity: { key, cert },
      faults: {},
      logins: [],
      queries: [],
    };
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

  /** How many are open now. */
  get connections(): number {
    return this.sessions.size;
  }

  /** For ADO.NET, and what a customer would write. */
  connectionString(parts: ConnectionStringParts = {}): string {
    const { user, password, name } = this.context;
    return connectionString({ host: this.host, port: this.port, user, password, name, ...parts });
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

function connectionString(
  parts: ConnectionStringParts & { host: string; port: number; user: string; password: string; name: string },
): string {
  const { host, port, user, password, name, encrypt = 'true', more = [] } = parts;
  return [
    `Server=tcp:${host},${port}`,
    `Database=${name}`,
    `User ID=${user}`,
    `Password='${password.replaceAll("'", "''")}'`,
    `Encrypt=${encrypt}`,
    ...more,
  ].join(';');
}
