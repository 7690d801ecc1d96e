import { DomainError } from '#kernel/errors';
import { isAddress, isWithin, networkOf, parseRange, type Range } from './address';

export interface TargetRules {
  /** http, and loopback, on any port. Refused in production. */
  allowInsecure: boolean;
  /** What the operator opens beside the public internet: `host`, `host:port`, an address, `address:port` or a CIDR. */
  allowed: readonly string[];
  /** Opens the ports 80 and 8080. */
  development: boolean;
}

type Reason = 'too_long' | 'malformed' | 'scheme' | 'userinfo' | 'port' | 'not_public';

/** 422; `message` says to its owner what is wrong with the address. */
export class InvalidUrl extends DomainError {
  constructor(
    readonly reason: Reason,
    detail: string,
  ) {
    super('invalid', 'invalid_url', detail, [{ pointer: '/url', code: 'invalid_url', message: detail }]);
  }
}

interface Opening {
  /** Of a host that is named, or of addresses. */
  opens: string | Range;
  /** That one only; without it the ports that are open anyway. */
  port?: number;
}

const mostCharacters = 2048;
/** Names that mean nothing outside of a machine or a network. @see https://www.rfc-editor.org/rfc/rfc6761 and 6762, 8375 */
const innerNames = /(^|\.)(localhost|local|internal|home\.arpa)$/;
const loopbackNames = /(^|\.)localhost$/;

/** @throws InvalidUrl */
export function checkUrl(url: string, rules: TargetRules): URL {
  return new Targets(rules).check(url);
}

/** Decides which addresses of the world deliveries may go to. */
export class Targets {
  private readonly openings: Opening[];
  private readonly ports: number[];

  constructor(private readonly rules: TargetRules) {
    this.openings = rules.allowed.map(parseOpening);
    this.ports = [443, 8443, ...(rules.development ? [80, 8080] : [])];
  }

  /**
   * All that can be known of a URL without asking for the addresses of its name.
   * @returns it in one spelling: an address as four decimal numbers, a name without a dot at its end
   * @throws InvalidUrl
   */
  check(text: string): URL {
    if (text.length > mostCharacters)
      throw new InvalidUrl('too_long', `The URL is longer than ${mostCharacters} characters.`);
    if (/\s/.test(text) || !URL.canParse(text))
      throw new InvalidUrl('malformed', 'This is not an absolute URL.');
    const url = new URL(text);
    this.checkScheme(url);
    if (url.username || url.password)
      throw new InvalidUrl('userinfo', 'The URL must not have a user name or password.');
    url.hostname = url.hostname.replace(/\.$/, '');
    this.checkHost(url);
    return url;
  }

  /** Why a delivery may not go to an address that the URL's host has; undefined when it may. */
  refusal(url: URL, address: string): string | undefined {
    const network = networkOf(address);
    if (network === 'public') return undefined;
    if (network === 'loopback' && this.rules.allowInsecure) return undefined;
    if (this.isOpened(url, address)) return undefined;
    return `The host has an address that is not public (${network}).`;
  }

  private checkScheme({ protocol }: URL): void {
    if (protocol === 'https:' || (protocol === 'http:' && this.rules.allowInsecure)) return;
    throw new InvalidUrl('scheme', 'The URL must begin with https://.');
  }

  private checkHost(url: URL): void {
    const host = hostOf(url);
    const isLoopbackName = loopbackNames.test(host);
    const address = isAddress(host) ? host : isLoopbackName ? '127.0.0.1' : undefined;
    const isFree =
      this.rules.allowInsecure &&
      (url.protocol === 'http:' || (address !== undefined && networkOf(address) === 'loopback'));
    if (!isFree && !this.ports.includes(portOf(url)) && !this.isOpened(url, address))
      throw new InvalidUrl('port', `The port must be one of ${this.ports.join(', ')}.`);
    const refusal = address !== undefined && this.refusal(url, address);
    const isInnerName = address === undefined && innerNames.test(host) && !this.mayBeOpened(url);
    if (refusal || isInnerName)
      throw new InvalidUrl('not_public', 'The host must be one of the public internet.');
  }

  private isOpened(url: URL, address: string | undefined): boolean {
    const host = hostOf(url);
    const port = portOf(url);
    return this.openings.some((opening) => {
      if (opening.port === undefined ? !this.ports.includes(port) : opening.port !== port) return false;
      if (typeof opening.opens === 'string') return opening.opens === host;
      return address !== undefined && isWithin(address, opening.opens);
    });
  }

  /** By its own name, or by the addresses that it turns out to have. */
  private mayBeOpened(url: URL): boolean {
    return this.isOpened(url, undefined) || this.openings.some(({ opens }) => typeof opens !== 'string');
  }
}

/** As a resolver takes it: without the brackets of IPv6. */
export function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[(.*)\]$/, '$1');
}

function portOf({ port, protocol }: URL): number {
  if (port) return Number(port);
  return protocol === 'http:' ? 80 : 443;
}

function parseOpening(text: string): Opening {
  const [, bracketed, name, port] = /^(?:\[([^\]]+)\]|([^:]*))(?::(\d{1,5}))?$/.exec(text) ?? [];
  const host = (bracketed ?? name ?? text).toLowerCase();
  try {
    const isName = !host.includes('/') && !isAddress(host);
    if (isName && !/^[a-z0-9_-]+(\.[a-z0-9_-]+)*$/.test(host)) throw new Error('no host');
    return { opens: isName ? host : parseRange(host), port: port ? Number(port) : undefined };
  } catch (cause) {
    throw new Error(`"${text}" is no host, host:port or CIDR that webhooks may be allowed.`, { cause });
  }
}
