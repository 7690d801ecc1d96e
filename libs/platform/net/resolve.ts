import { lookup, Resolver } from 'node:dns/promises';

/** The addresses of a host, in the order in which to try them. Rejects when it has none. */
export type Resolve = (host: string) => Promise<readonly string[]>;

/**
 * Looks names up anew each time: an answer that was kept could be one from before they changed.
 * Asks the name servers, which takes no thread of the pool that files and ciphers share: four receivers whose names
 * are slow to resolve would else hold up the process. What DNS does not know may be in the machine's hosts file.
 * @param servers `address:port` of name servers, in place of the machine's
 */
export function systemResolve({ timeoutMs, servers }: { timeoutMs: number; servers?: string[] }): Resolve {
  // The second try waits twice as long.
  const resolver = new Resolver({ timeout: Math.ceil(timeoutMs / 3), tries: 2 });
  if (servers) resolver.setServers(servers);
  return async (host) => {
    // RFC 6761: these are loopback, whatever a name server says.
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
 * How each ended, or that it did not. Once one is there the others have so much more time: there are name servers that
 * say nothing at all to who asks for a kind of address that a name has none of. @see RFC 4074 section 4.1
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
