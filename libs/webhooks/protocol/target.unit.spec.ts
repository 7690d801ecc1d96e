import fc from 'fast-check';
import { destinationOf, Targets } from './target';
import { development, insecure, production, reasonOf } from './testing/targets';

describe('a URL', () => {
  it.each([
    ['https://hooks.example.com/a?b=c', 'https://hooks.example.com/a?b=c'],
    ['https://hooks.example.com:8443', 'https://hooks.example.com:8443/'],
    ['HTTPS://Hooks.Example.COM.:443/a', 'https://hooks.example.com/a'],
    ['https://bücher.example/', 'https://xn--bcher-kva.example/'],
    ['https://8.8.8.8/', 'https://8.8.8.8/'],
    ['https://134744072/', 'https://8.8.8.8/'],
    ['https://[2606:4700:4700::1111]/', 'https://[2606:4700:4700::1111]/'],
    ['https://notlocalhost/', 'https://notlocalhost/'],
  ])('%s is accepted', (url, href) => {
    expect(new Targets(production).check(url).href).toBe(href);
  });

  it('with letters beyond ASCII is accepted also after thousands of others', () => {
    const targets = new Targets(production);
    for (let count = 0; count < 20_000; count++) targets.check(`https://hooks.example.com/${count}`);
    expect(targets.check('https://bücher.example/').hostname).toBe('xn--bcher-kva.example');
  });

  it.each([
    ['http://example.com/', 'scheme'],
    ['ftp://example.com/', 'scheme'],
    ['file:///etc/passwd', 'scheme'],
    ['gopher://example.com:443/', 'scheme'],
    ['example.com', 'malformed'],
    ['//example.com/', 'malformed'],
    ['', 'malformed'],
    ['https://', 'malformed'],
    ['https://example.com/ a', 'malformed'],
    ['https://exam\nple.com/', 'malformed'],
    ['https://1.2.3.4.5/', 'malformed'],
    ['https://256.1.1.1/', 'malformed'],
    ['https://[::1/', 'malformed'],
    ['https://localhost../', 'malformed'],
    ['https://example..com/', 'malformed'],
    ['https://./', 'malformed'],
    [`https://${'a'.repeat(64)}.com/`, 'malformed'],
    [`https://hooks.${'é'.repeat(60)}.com/`, 'malformed'],
    ['https://example.com:99999/', 'malformed'],
    ['https://user@example.com/', 'userinfo'],
    ['https://user:word@example.com/', 'userinfo'],
    ['https://:word@example.com/', 'userinfo'],
    ['https://example.com@127.0.0.1/', 'userinfo'],
    ['https://example.com:80/', 'port'],
    ['https://example.com:8080/', 'port'],
    ['https://example.com:22/', 'port'],
    ['https://8.8.8.8:6379/', 'port'],
    [`https://example.com/${'a'.repeat(2029)}`, 'too_long'],
    [`https://example.com/${'é'.repeat(2028 / 6 + 1)}`, 'too_long'],
  ])('%j is refused: %s', (url, reason) => {
    expect(reasonOf(url)).toBe(reason);
  });

  it('may have 63 characters between two dots of its host', () => {
    expect(reasonOf(`https://${'a'.repeat(63)}.com/`)).toBeUndefined();
  });

  it('may have 2,048 characters', () => {
    expect(reasonOf(`https://example.com/${'a'.repeat(2028)}`)).toBeUndefined();
  });
});

describe('the same host in other spellings', () => {
  it.each([
    'https://2130706433/',
    'https://0x7f000001/',
    'https://0x7f.1/',
    'https://0177.0.0.1/',
    'https://017700000001/',
    'https://127.1/',
    'https://127.0.1/',
    'https://127.0.0.1./',
    'https://%31%32%37.0.0.1/',
    'https://①②⑦.⓪.⓪.①/',
    'https://127。0。0。1/',
    'https://[0:0:0:0:0:0:0:1]/',
    'https://[::ffff:7f00:1]/',
    'https:\\\\127.0.0.1/',
    'https:///127.0.0.1/',
    'https://localhost/',
    'https://LOCALHOST./',
    'https://ⓛocalhost/',
    'https://a.localhost/',
    'https://printer.local/',
    'https://metadata.google.internal/',
    'https://router.home.arpa/',
  ])('%s is refused', (url) => {
    expect(reasonOf(url)).toBe('not_public');
  });

  it('any number that is an address of loopback is refused', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0x7f000000, max: 0x7fffffff }), (number) => {
        for (const text of [number, `0x${number.toString(16)}`, `0${number.toString(8)}`])
          expect(reasonOf(`https://${text}/`)).toBe('not_public');
      }),
    );
  });
});

describe('ports', () => {
  it('80 and 8080 are open in development, but http is not', () => {
    for (const port of [80, 8080, 443, 8443])
      expect(reasonOf(`https://example.com:${port}/`, development)).toBe(undefined);
    expect(reasonOf('https://example.com:81/', development)).toBe('port');
    expect(reasonOf('http://example.com:8080/', development)).toBe('scheme');
  });

  it.each([
    ['http://127.0.0.1:3000/', undefined],
    ['https://127.0.0.1:3000/', undefined],
    ['http://[::1]:3000/', undefined],
    ['http://localhost:3000/', undefined],
    ['https://localhost:3000/', undefined],
    ['http://example.com:3000/', undefined],
    ['https://example.com:3000/', 'port'],
    ['http://10.0.0.1/', 'not_public'],
    ['http://10.0.0.1:3000/', 'not_public'],
    ['http://169.254.169.254/', 'not_public'],
    ['http://printer.local/', 'not_public'],
    ['ftp://127.0.0.1/', 'scheme'],
  ])('with allowInsecure %s: %s', (url, reason) => {
    expect(reasonOf(url, insecure)).toBe(reason);
  });
});

describe("the operator's list", () => {
  const opened = (...allowed: string[]) => ({ ...production, allowed });

  it.each([
    ['10.1.0.0/16', 'https://10.1.2.3/', undefined],
    ['10.1.0.0/16', 'https://10.2.2.3/', 'not_public'],
    ['10.1.0.0/16', 'https://10.1.2.3:9000/', 'port'],
    ['10.1.0.0/16', 'http://10.1.2.3/', 'scheme'],
    ['10.1.0.0/16', 'https://[::ffff:10.1.2.3]/', undefined],
    ['fd00::/8', 'https://[fd12::1]/', undefined],
    ['fd00::/8', 'https://10.1.2.3/', 'not_public'],
    ['10.1.2.3', 'https://10.1.2.3/', undefined],
    ['10.1.2.3', 'https://10.1.2.4/', 'not_public'],
    ['10.1.2.3:9000', 'https://10.1.2.3:9000/', undefined],
    ['10.1.2.3:9000', 'https://10.1.2.3/', 'not_public'],
    ['[fd12::1]:9000', 'https://[fd12::1]:9000/', undefined],
    ['fd12::1', 'https://[fd12::1]/', undefined],
    ['Hooks.Local', 'https://hooks.local/', undefined],
    ['hooks.local', 'https://other.local/', 'not_public'],
    ['hooks.local', 'https://a.hooks.local/', 'not_public'],
    ['hooks.local', 'https://hooks.local:9000/', 'port'],
    ['hooks.local:9000', 'https://hooks.local:9000/', undefined],
    ['hooks.example.com:9000', 'https://hooks.example.com:9000/', undefined],
    ['hooks.example.com:9000', 'https://hooks.example.com:9001/', 'port'],
    ['localhost', 'https://localhost/', undefined],
    ['127.0.0.0/8', 'https://localhost/', undefined],
    ['10.1.0.0/16', 'https://hooks.internal/', undefined],
    ['10.1.2.3:9000', 'https://hooks.internal/', 'not_public'],
  ])('with %s, checking %s: %s', (entry, url, reason) => {
    expect(reasonOf(url, opened(entry))).toBe(reason);
  });

  it('opens the addresses of a host that it names, and of no other', () => {
    const targets = new Targets(opened('hooks.example.com', '10.9.0.0/16'));
    const refusal = (url: string, address: string) => targets.refusal(destinationOf(new URL(url)), address);
    expect(refusal('https://hooks.example.com/', '10.0.0.1')).toBeUndefined();
    expect(refusal('https://hooks.example.com:9000/', '10.0.0.1')).toBeDefined();
    expect(refusal('https://other.example.com/', '10.0.0.1')).toBeDefined();
    expect(refusal('https://other.example.com/', '10.9.0.1')).toBeUndefined();
  });

  it.each([
    '',
    '10.0.0.0/33',
    'https://hooks.example.com',
    'a b',
    'host:',
    'host:port',
    '*',
    'a/24',
    '[fd00::1',
  ])('with %p is refused when the service starts', (entry) => {
    expect(() => new Targets(opened(entry))).toThrow('is no host, host:port or CIDR');
  });
});
