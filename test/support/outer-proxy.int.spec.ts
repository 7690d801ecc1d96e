import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describeWithCaddy, type RunningProxy, startProxy } from './proxy';

describeWithCaddy('the proxy behind another one that ends TLS', () => {
  /** Answers with the addresses that it was told a request came through. */
  const service = createServer(({ headers }, response) => response.end(headers['x-forwarded-for']));
  let upstreams: { command: string[]; query: string[] };
  let proxy: RunningProxy | undefined;

  beforeAll(async () => {
    await once(service.listen(0, '127.0.0.1'), 'listening');
    const url = `http://127.0.0.1:${(service.address() as AddressInfo).port}`;
    upstreams = { command: [url], query: [url] };
  });
  afterEach(() => proxy?.stop());
  afterAll(() => service.close());

  async function forwarded(env: Record<string, string>): Promise<string> {
    proxy = await startProxy(upstreams, env);
    const headers = { 'X-Forwarded-For': '192.0.2.1' };
    return (await fetch(`${proxy.baseUrl}/oauth2/token`, { method: 'POST', headers })).text();
  }

  it('tells the service whose request the outer proxy has forwarded', async () => {
    expect(await forwarded({ OUTER_PROXIES: '127.0.0.1/32' })).toBe('192.0.2.1, 127.0.0.1');
  });

  it.each(['', '10.0.0.0/8'])('ignores the header of other clients, with “%s”', async (named) => {
    expect(await forwarded({ OUTER_PROXIES: named })).toBe('127.0.0.1');
  });
});
