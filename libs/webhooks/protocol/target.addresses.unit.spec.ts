import fc from 'fast-check';
import { Targets } from './target';
import { insecure, production, reasonOf } from './testing/targets';

/** Addresses that are not public, in spellings that are meant to get past a filter. */
const inner: [address: string, network: string][] = [
  ['127.0.0.1', 'loopback'],
  ['127.255.255.254', 'loopback'],
  ['0.0.0.0', 'unspecified'],
  ['0.1.2.3', 'unspecified'],
  ['10.0.0.1', 'private'],
  ['172.16.0.1', 'private'],
  ['172.31.255.255', 'private'],
  ['192.168.1.1', 'private'],
  ['169.254.169.254', 'linkLocal'],
  ['168.63.129.16', 'metadata'],
  ['100.64.0.1', 'carrierGradeNat'],
  ['100.100.100.200', 'carrierGradeNat'],
  ['192.0.0.192', 'reserved'],
  ['192.0.2.1', 'reserved'],
  ['192.88.99.1', 'reserved'],
  ['198.18.0.1', 'reserved'],
  ['198.51.100.1', 'reserved'],
  ['203.0.113.1', 'reserved'],
  ['224.0.0.1', 'multicast'],
  ['240.0.0.1', 'reserved'],
  ['255.255.255.255', 'broadcast'],
  ['::', 'unspecified'],
  ['::1', 'loopback'],
  ['::127.0.0.1', 'reserved'],
  ['::8.8.8.8', 'reserved'],
  ['::ffff:127.0.0.1', 'loopback'],
  ['::ffff:7f00:1', 'loopback'],
  ['::ffff:10.0.0.1', 'private'],
  ['::ffff:169.254.169.254', 'linkLocal'],
  ['::ffff:0:127.0.0.1', 'rfc6145'],
  ['fe80::1', 'linkLocal'],
  ['fec0::1', 'deprecatedSiteLocal'],
  ['fc00::1', 'uniqueLocal'],
  ['fd00:ec2::254', 'uniqueLocal'],
  ['64:ff9b::7f00:1', 'rfc6052'],
  ['64:ff9b::8.8.8.8', 'rfc6052'],
  ['64:ff9b:1::a00:1', 'rfc6052'],
  ['2002:7f00:1::', '6to4'],
  ['2001:0:53aa:64c::1', 'teredo'],
  ['2001:db8::1', 'reserved'],
  ['3fff::1', 'reserved'],
  ['100::1', 'discard'],
  ['4000::1', 'reserved'],
  ['ff02::1', 'multicast'],
];
const written = (address: string) => `https://${address.includes(':') ? `[${address}]` : address}/`;

describe.each(inner)('%s', (address, network) => {
  it(`is refused as a host, being ${network}`, () => {
    expect(reasonOf(written(address))).toBe('not_public');
  });

  it('is refused as the address of a name', () => {
    const to = { host: 'hooks.example.com', port: 443 };
    expect(new Targets(production).refusal(to, address)).toContain(`(${network})`);
  });

  it('is allowed by allowInsecure only when it is loopback', () => {
    expect(reasonOf(written(address), insecure)).toBe(network === 'loopback' ? undefined : 'not_public');
  });
});

it('a text that is no address is refused as an address', () => {
  const to = { host: 'hooks.example.com', port: 443 };
  for (const text of ['', '127.1', '0x7f000001', 'example.com', '8.8.8.8/32'])
    expect(new Targets({ ...production, allowed: ['0.0.0.0/0'] }).refusal(to, text)).toContain('(unknown)');
});

it('no IPv6 address outside of 2000::/3 is public', () => {
  const targets = new Targets(production);
  const to = { host: 'hooks.example.com', port: 443 };
  fc.assert(
    fc.property(fc.ipV6(), (address) => {
      const isGlobal = /^[23][0-9a-f]{3}:/i.test(address);
      if (!isGlobal && !/:ffff:/i.test(address)) expect(targets.refusal(to, address)).toBeDefined();
    }),
  );
});
