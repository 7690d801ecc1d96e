/** As `server_version_num` has it: major × 10,000 + minor. */
const LEAST = 180_001;

/**
 * Why a PostgreSQL is not used; undefined: it is.
 * Older majors know no `RETURNING old`. 18.0 ends with a segmentation fault, all of its connections with it, where that
 * returns what an upsert replaced: each start of a projector would take the server down again.
 * @param version `server_version_num`
 */
export function outdated(version: number): string | undefined {
  if (version >= LEAST) return undefined;
  return `PostgreSQL ${named(LEAST)} or newer is needed; this server is ${named(version)}`;
}

const named = (version: number) => `${Math.floor(version / 10_000)}.${version % 10_000}`;
