import { once } from 'node:events';
import { Logger } from '@nestjs/common';
import Fastify, { type FastifyInstance } from 'fastify';
import { type Histogram, register } from 'prom-client';
import { waitFor } from '../../../test/support/wait-for';
import { registerRequestMetrics } from './request-metrics';

describe('the duration of requests', () => {
  let fastify: FastifyInstance;
  let url: string;
  let begun = 0;
  let answered = 0;

  beforeAll(async () => {
    jest.spyOn(Logger.prototype, 'debug').mockImplementation();
    fastify = Fastify({ forceCloseConnections: true });
    registerRequestMetrics(fastify);
    fastify.get('/records/:id', async () => 'x');
    fastify.get('/slow', async (_, reply) => {
      begun++;
      await once(reply.raw, 'close');
      answered++;
      return 'x';
    });
    url = await fastify.listen({ port: 0, host: '127.0.0.1' });
  });
  afterAll(async () => {
    await fastify.close();
    jest.restoreAllMocks();
  });

  /** Number and sum of the seconds, by route and status. */
  async function measured(): Promise<Record<string, [number, number]>> {
    const { values } = await (
      register.getSingleMetric('http_request_duration_seconds') as Histogram<'route' | 'status'>
    ).get();
    const of = (suffix: string) => values.filter(({ metricName }) => metricName?.endsWith(suffix));
    const sums = of('_sum');
    return Object.fromEntries(
      of('_count').map(({ labels, value }, index) => [
        `${labels.route} ${labels.status}`,
        [value, sums[index].value],
      ]),
    );
  }

  it('is labelled with the pattern of the route, not with the address', async () => {
    for (const id of [1, 2]) await (await fetch(`${url}/records/${id}`)).text();
    await (await fetch(`${url}/nowhere`)).text();
    expect(await measured()).toMatchObject({
      '/records/:id 200': [2, expect.any(Number)],
      'none 404': [1, expect.any(Number)],
    });
  });

  it('has the status 499 for a request whose caller did not wait for the answer', async () => {
    const caller = new AbortController();
    const asked = fetch(`${url}/slow`, { signal: caller.signal });
    await waitFor(() => begun === 1, { description: 'the request to arrive' });
    caller.abort();
    await expect(asked).rejects.toThrow('aborted');
    await waitFor(() => answered === 1, { description: 'the answer that nobody waits for' });
    const { '/slow 499': told, ...others } = await measured();
    expect(told).toEqual([1, expect.any(Number)]);
    expect(told[1]).toBeGreaterThan(0);
    expect(Object.keys(others).sort()).toEqual(['/records/:id 200', 'none 404']);
  });
});
