import { DomainError } from '#kernel/errors';
import { networkOf } from '#platform/net/address';
import { addressOf, type Destination, Openings } from '#platform/net/openings';
import { parseUrl } from '#platform/net/parse-url';

export interface TargetRules {
  /** Allows http, and loopback addresses, on any port. Refused in production. */
  allowInsecure: boolean;
  /**
   * What the operator allows besides the public internet: `host`, `host:port`, an address, `address:port` or a CIDR.
   */
  allowed: readonly string[];
  /** Allows the ports 80 and 8080. */
  development: boolean;
}

type Reason = 'too_long' | 'malformed' | 'scheme' | 'userinfo' | 'port' | 'not_public';

/** 422; `message` tells the webhook's owner what is wrong with the URL. */
export class InvalidUrl extends DomainError {
  constructor(
    readonly reason: Reason,
    detail: string,
  ) {
    super('invalid', 'invalid_url', detail, [{ pointer: '/url', code: 'invalid_url', message: detail }]);
  }
}

const mostCharacters = 2048;
/** @see RFC 1035, section 2.3.4 */
const mostOfLabel = 63;

/** Decides to which addresses deliveries may be sent. */
export class Targets {
  private readonly openings: Openings;
  private readonly ports: number[];

  constructor(private readonly rules: TargetRules) {
    this.ports = [443, 8443, ...(rules.development ? [80, 8080] : [])];
    this.openings = new Openings({
      allowLoopback: rules.allowInsecure,
      allowed: rules.allowed,
      isUsualPort: (port) => this.ports.includes(port),
    });
  }

  /**
   * Checks all that can be known of a URL without resolving its host.
   * @returns the URL in one spelling: an address as four decimal numbers, a name without a dot at its end
   * @throws InvalidUrl
   */
  check(text: string): URL {
    const url = /\s/.test(text) ? undefined : parseUrl(text);
    if (!url) throw new InvalidUrl('malformed', 'This is not an absolute URL.');
    // The encoded URL may be longer, and it is the one that is sent and shown.
    if (Math.max(text.length, url.href.length) > mostCharacters)
      throw new InvalidUrl('too_long', `The URL is longer than ${mostCharacters} characters, encoded.`);
    this.checkScheme(url);
    if (url.username || url.password)
      throw new InvalidUrl('userinfo', 'The URL must not have a user name or password.');
    url.hostname = url.hostname.replace(/\.$/, '');
    const labels = url.hostname.split('.');
    if (labels.includes(''))
      throw new InvalidUrl('malformed', 'The host has two dots in a row, or nothing but one.');
    if (labels.some(({ length }) => length > mostOfLabel))
      throw new InvalidUrl('malformed', `The host has more than ${mostOfLabel} characters between two dots.`);
    this.checkHost(url);
    return url;
  }

  /** The reason why a delivery may not go to an address of the URL's host; undefined when it may. */
  refusal(to: Destination, address: string): string | undefined {
    return this.openings.refusal(to, address);
  }

  private checkScheme({ protocol }: URL): void {
    if (protocol === 'https:' || (protocol === 'http:' && this.rules.allowInsecure)) return;
    throw new InvalidUrl('scheme', 'The URL must begin with https://.');
  }

  private checkHost(url: URL): void {
    const to = destinationOf(url);
    const address = addressOf(to);
    const isFree =
      this.rules.allowInsecure &&
      (url.protocol === 'http:' || (address !== undefined && networkOf(address) === 'loopback'));
    if (!isFree && !this.openings.allowsPort(to))
      throw new InvalidUrl('port', `The port must be one of ${this.ports.join(', ')}.`);
    if (this.openings.refusesHost(to))
      throw new InvalidUrl('not_public', 'The host must be one of the public internet.');
  }
}

/** The host as a resolver takes it, without the brackets of IPv6, and the port. */
export function destinationOf(url: URL): Destination {
  return { host: url.hostname.replace(/^\[(.*)\]$/, '$1'), port: portOf(url) };
}

function portOf({ port, protocol }: URL): number {
  if (port) return Number(port);
  return protocol === 'http:' ? 80 : 443;
}
