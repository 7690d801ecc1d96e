import { isIP, isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';
import { LRUCache } from 'lru-cache';

type Address = ipaddr.IPv4 | ipaddr.IPv6;
export type Range = [Address, number];

/** All IPv6 addresses that are assigned for the internet. A receiver is in no other network. */
const globalUnicast = ipaddr.parseCIDR('2000::/3') as [ipaddr.IPv6, number];

/** Public addresses that a cloud answers only for its own machines: Azure's metadata and name server. */
const cloud = ['168.63.129.16'];

/** The networks of recently checked addresses: an address never changes its network. */
const networks = new LRUCache<string, string>({ max: 1_000 });

export function isAddress(text: string): boolean {
  return isIP(text) !== 0;
}

/**
 * The kind of network that an address belongs to: `public`, `loopback`, `private`, `linkLocal`, …. An IPv4 address
 * mapped into IPv6 counts as the IPv4 address.
 */
export function networkOf(text: string): string {
  let network = networks.get(text);
  if (network === undefined) networks.set(text, (network = rangeOf(text)));
  return network;
}

function rangeOf(text: string): string {
  if (!isAddress(text)) return 'unknown';
  const address = parse(text);
  if (cloud.includes(address.toString())) return 'metadata';
  const range = address.range();
  if (range !== 'unicast') return range;
  if (address instanceof ipaddr.IPv6 && !address.match(globalUnicast)) return 'reserved';
  return 'public';
}

/**
 * Addresses as some proxies write them into X-Forwarded-For (Azure's Application Gateway, IIS): with the port, and those
 * of IPv6 in brackets.
 */
const written = /^(?:([\d.]+):\d+|\[([^\]]+)\](?::\d+)?)$/;

/**
 * The subnet of an address, which may have a port: for IPv6 its /64, the least that a provider gives to a customer; any
 * other text is its own subnet.
 */
export function subnetOf(text: string): string {
  const bare = text.replace(written, '$1$2');
  if (!isAddress(bare)) return text;
  const address = parse(bare);
  if (address instanceof ipaddr.IPv4) return address.toString();
  const groups = address.parts.slice(0, 4).map((group) => group.toString(16));
  return `${groups.join(':')}::/64`;
}

/**
 * Reads `10.0.0.0/8` or a single address.
 * @throws when it is neither
 */
export function parseRange(text: string): Range {
  if (text.includes('/')) return ipaddr.parseCIDR(text);
  const address = parse(text);
  return [address, address.toByteArray().length * 8];
}

export function isWithin(text: string, [base, bits]: Range): boolean {
  if (!isAddress(text)) return false;
  const address = parse(text);
  return address.kind() === base.kind() && address.match(base as ipaddr.IPv6, bits);
}

function parse(text: string): Address {
  const bare = text.replace(/%.*/, '');
  // The package takes ::8.8.8.8, an address of another and never used kind, for 8.8.8.8; in hexadecimal it does not.
  const isMixed = bare.includes('.') && isIPv6(bare);
  return ipaddr.process(isMixed ? new URL(`http://[${bare}]`).hostname.slice(1, -1) : bare);
}
