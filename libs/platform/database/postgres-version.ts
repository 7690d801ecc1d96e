/** The lowest supported `server_version_num`: major × 10,000 + minor. */
const LEAST = 180_001;

/**
 * The reason why a version of PostgreSQL is not supported; undefined when it is.
 * Older majors do not know `RETURNING old`. 18.0 crashes with a segmentation fault, and loses all its connections, when
 * that returns what an upsert replaced: each start of a projector would crash the server again.
 * @param version `server_version_num`
 */
export function outdated(version: number): string | undefined {
  if (version >= LEAST) return undefined;
  return `PostgreSQL ${named(LEAST)} or newer is needed; this server is ${named(version)}`;
}

const named = (version: number) => `${Math.floor(version / 10_000)}.${version % 10_000}`;
