import { isAddress, isWithin, networkOf, parseRange, type Range } from './address';

/** A host and port to connect to. */
export interface Destination {
  /** A name without a dot at its end, or an address without brackets; lower case. */
  host: string;
  port: number;
}

export interface OpeningRules {
  /** Allows this machine too. */
  allowLoopback: boolean;
  /**
   * What the operator allows besides the public internet: `host`, `host:port`, an address, `address:port` or a CIDR.
   */
  allowed: readonly string[];
  /** Whether a port is allowed on every allowed host. */
  isUsualPort(port: number): boolean;
}

interface Opening {
  /** The name of a host, or a range of addresses. */
  opens: string | Range;
  /** The only port that is allowed; without it, the usual ports. */
  port?: number;
}

/**
 * Names that mean nothing outside a machine or a network.
 * @see https://www.rfc-editor.org/rfc/rfc6761 and 6762, 8375
 */
const innerNames = /(^|\.)(localhost|local|internal|home\.arpa)$/;
const loopbackNames = /(^|\.)localhost$/;

/** The rules on where customers may make this service connect to: the public internet, and what the operator allows. */
export class Openings {
  private readonly openings: Opening[];

  /** @throws Error when an entry cannot be read */
  constructor(private readonly rules: OpeningRules) {
    this.openings = rules.allowed.map((text) => {
      const opening = parseOpening(text);
      if (opening) return opening;
      throw new Error(`"${text}" is no host, host:port or CIDR.`);
    });
  }

  /** The reason why no connection may go to an address of the host; undefined when it may. */
  refusal(to: Destination, address: string): string | undefined {
    const network = networkOf(address);
    if (network === 'public') return undefined;
    if (network === 'loopback' && this.rules.allowLoopback) return undefined;
    if (this.isOpened(to, address)) return undefined;
    return `The host has an address that is not public (${network}).`;
  }

  /** Whether the port is allowed, as far as that is known without resolving a name. */
  allowsPort(to: Destination): boolean {
    return this.rules.isUsualPort(to.port) || this.isOpened(to, addressOf(to));
  }

  /** Whether the host is refused before its name is resolved. */
  refusesHost(to: Destination): boolean {
    const address = addressOf(to);
    if (address !== undefined) return this.refusal(to, address) !== undefined;
    return innerNames.test(to.host) && !this.mayBeOpened(to);
  }

  private isOpened({ host, port }: Destination, address: string | undefined): boolean {
    return this.openingsOf(port).some((opening) => {
      if (typeof opening.opens === 'string') return opening.opens === host;
      return address !== undefined && isWithin(address, opening.opens);
    });
  }

  /** Whether the host is allowed by its name, or may be by the addresses that it resolves to. */
  private mayBeOpened(to: Destination): boolean {
    return this.openingsOf(to.port).some(({ opens }) => typeof opens !== 'string' || opens === to.host);
  }

  /** The openings that apply to a port: one without a port applies to the usual ports. */
  private openingsOf(port: number): Opening[] {
    return this.openings.filter((opening) =>
      opening.port === undefined ? this.rules.isUsualPort(port) : opening.port === port,
    );
  }
}

/** The address that the host is or is known to have; undefined for another name. */
export function addressOf({ host }: Destination): string | undefined {
  if (isAddress(host)) return host;
  return loopbackNames.test(host) ? '127.0.0.1' : undefined;
}

/** Reads `host`, `host:port`, an address, `address:port` or a CIDR; undefined when it is none of them. */
export function parseOpening(text: string): Opening | undefined {
  const [, bracketed, name, port] = /^(?:\[([^\]]+)\]|([^:]*))(?::([1-9]\d{0,4}))?$/.exec(text) ?? [];
  if (Number(port) > 65535) return undefined;
  const host = (bracketed ?? name ?? text).toLowerCase();
  try {
    const isName = !host.includes('/') && !isAddress(host);
    if (isName && !/^[a-z0-9_-]+(\.[a-z0-9_-]+)*$/.test(host)) return undefined;
    return { opens: isName ? host : parseRange(host), port: port ? Number(port) : undefined };
  } catch {
    return undefined; // no CIDR
  }
}
