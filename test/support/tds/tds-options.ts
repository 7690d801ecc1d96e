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

/** What is not said: a login that may read, in a database of a name. */
export const withDefaults = (options: TdsOptions) => ({
  user: 'importer',
  password: 'Read-0nly;by=import',
  name: 'source',
  tls: 'optional' as const,
  ...options,
});

/** For ADO.NET, and what a customer would write. */
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
