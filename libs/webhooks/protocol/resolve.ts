import { lookup, Resolver } from 'node:dns/promises';

/** The addresses of a host, in the order in which to try them. Rejects when it has none. */
export type Resolve = (host: string) => Promise<readonly string[]>;

/**
 * Asks the name servers, which takes no thread of the pool that files and ciphers share: four receivers whose names
 * are slow to resolve would else hold up the process. What DNS does not know may be in the machine's hosts file.
 */
export function systemResolve({ timeoutMs }: { timeoutMs: number }): Resolve {
  // The second try waits twice as long.
  const resolver = new Resolver({ timeout: Math.ceil(timeoutMs / 3), tries: 2 });
  return async (host) => {
    // RFC 6761: these are loopback, whatever a name server says.
    if (/(^|\.)localhost$/.test(host)) return ['127.0.0.1', '::1'];
    const answers = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
    const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    if (addresses.length > 0) return addresses;
    const failures = answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason] : []));
    const slow = failures.find(({ code }) => code === 'ETIMEOUT');
    if (slow) throw slow;
    return (await lookup(host, { all: true })).map(({ address }) => address);
  };
}
