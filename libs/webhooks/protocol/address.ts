import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;
export type Range = [Address, number];

/** All of IPv6 that is given out for the internet; what is outside of it is of no network that a receiver is in. */
const globalUnicast = ipaddr.parseCIDR('2000::/3') as [ipaddr.IPv6, number];

/** Public numbers that reach the machine's own cloud: Azure answers metadata and DNS there. */
const cloud = ['168.63.129.16'];

/** IPv4 inside of IPv6 counts as what it is; without its brackets and zone. */
export function parseAddress(text: string): Address {
  return ipaddr.process(text);
}

export function isAddress(text: string): boolean {
  return ipaddr.isValid(text);
}

/** What kind of network an address is of: `public`, `loopback`, `private`, `linkLocal`, …; anything but `public` is refused. */
export function networkOf(text: string): string {
  const address = parseAddress(text);
  if (cloud.includes(address.toString())) return 'metadata';
  const range = address.range();
  if (range !== 'unicast') return range;
  if (address instanceof ipaddr.IPv6 && !address.match(globalUnicast)) return 'reserved';
  return 'public';
}

/** `10.0.0.0/8` or a single address. @throws when it is neither */
export function parseRange(text: string): Range {
  if (text.includes('/')) return ipaddr.parseCIDR(text);
  const address = parseAddress(text);
  return [address, address.toByteArray().length * 8];
}

export function isWithin(text: string, [base, bits]: Range): boolean {
  const address = parseAddress(text);
  return address.kind() === base.kind() && address.match(base as ipaddr.IPv6, bits);
}
