import { lookup, Resolver } from 'node:dns/promises';

/** The addresses of a host, in the order in which to try them. Rejects when it has none. */
export type Resolve = (host: string) => Promise<readonly string[]>;

/**
 * Resolves a name anew each time, as a cached answer could be outdated. It asks the name servers directly: that takes
 * no thread of the pool that files and ciphers share, which four receivers with slow names would otherwise block. A
 * name that DNS does not know may be in the machine's hosts file.
 * @param servers `address:port` of name servers, instead of the machine's
 */
export function systemResolve({ timeoutMs, servers }: { timeoutMs: number; servers?: string[] }): Resolve {
  // The second try waits twice as long.
  const resolver = new Resolver({ timeout: Math.ceil(timeoutMs / 3), tries: 2 });
  if (servers) resolver.setServers(servers);
  return async (host) => {
    // RFC 6761: such names are loopback, whatever a name server says.
    if (/(^|\.)localhost$/.test(host)) return ['127.0.0.1', '::1'];
    const answers = await settled([resolver.resolve4(host), resolver.resolve6(host)], timeoutMs / 5);
    const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    if (addresses.length > 0) return addresses;
    const failures = answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason] : []));
    const slow = failures.find(({ code }) => code === 'ETIMEOUT');
    if (slow) throw slow;
    return (await lookup(host, { all: true })).map(({ address }) => address);
  };
}

/**
 * How each lookup ended. Once one has succeeded, the others have only `graceMs` left: some name servers do not answer
 * at all when a name has no address of the requested kind. @see RFC 4074 section 4.1
 */
async function settled<Result>(
  lookups: readonly Promise<Result>[],
  graceMs: number,
): Promise<PromiseSettledResult<Result>[]> {
  let timer: NodeJS.Timeout | undefined;
  const late = Promise.any(lookups).then(
    () =>
      new Promise<never>((_, reject) => {
        timer = setTimeout(() => reject(new Error('The name servers do not answer.')), graceMs);
      }),
  );
  try {
    return await Promise.allSettled(lookups.map((lookup) => Promise.race([lookup, late])));
  } finally {
    clearTimeout(timer);
  }
}
