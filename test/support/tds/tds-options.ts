export interface TdsOptions {
  /** URL of the PostgreSQL database whose schema `etl` has the tables. */
  database: string;
  user?: string;
  password?: string;
  /** Name of the database that clients ask for. */
  name?: string;
  /**
   * `optional` (the default): as the client wants. `required`: refuses clients without encryption. `none`: does not
   * support encryption. `strict`: only TLS from the first byte, as in TDS 8, which `optional` and `required` take, too.
   */
  tls?: 'optional' | 'required' | 'none' | 'strict';
  /** PEM. By default for localhost and 127.0.0.1, signed by the server's own authority. */
  certificate?: { key: string; cert: string };
  /** By default any free port. */
  port?: number;
}

export interface ConnectionStringParts {
  host?: string;
  user?: string;
  password?: string;
  name?: string;
  encrypt?: 'true' | 'false' | 'strict';
  /** Further settings, as `Key=value`. */
  more?: readonly string[];
}

/** Fills in the defaults: a login that may read, in a named database. */
export const withDefaults = (options: TdsOptions) => ({
  user: 'importer',
  password: 'Read-0nly;by=import',
  name: 'source',
  tls: 'optional' as const,
  ...options,
});

/** A connection string of ADO.NET, as a customer would write it. */
export function connectionStringOf(
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
