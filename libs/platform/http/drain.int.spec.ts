import { Agent, get } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { Controller, Get, Module, Res } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyReply } from 'fastify';
import { waitFor } from '../../../test/support/wait-for';
import { Config } from '../config';
import { Drain } from './drain';
import { createHttpApplication } from './http-application';

/** Enough time for a few requests. */
const GRACE_MS = 3_000;

describe('a drain', () => {
  let app: NestFastifyApplication;
  let drain: Drain;
  let port: number;
  let asked: number;
  let answer: () => void;
  let opened: Socket[];
  const agent = new Agent({ keepAlive: true });

  @Controller('slow')
  class SlowController {
    @Get('whole/:id')
    async whole(): Promise<object> {
      asked += 1;
      await new Promise<void>((resolve) => (answer = resolve));
      return {};
    }

    @Get('streamed')
    streamed(@Res() reply: FastifyReply): void {
      reply.hijack();
      reply.raw.writeHead(200).write('first, ');
      asked += 1;
      answer = () => reply.raw.end('last');
    }
  }

  @Module({ controllers: [SlowController] })
  class SlowModule {}

  beforeEach(async () => {
    [asked, opened] = [0, []];
    const config = Object.assign(new Config(), { NODE_ENV: 'test', LOG_LEVEL: 'silent' });
    app = await createHttpApplication(SlowModule, config);
    await app.listen(0, '127.0.0.1');
    port = (app.getHttpServer().address() as AddressInfo).port;
    drain = Drain.of(app);
  });
  afterEach(async () => {
    for (const socket of opened) socket.destroy();
    agent.destroy();
    await app.close();
  });

  /** Sends a request, over a kept connection if there is one. */
  function ask(path: string): Promise<{ status?: number; connection?: string; body: string }> {
    return new Promise((resolve, reject) => {
      const request = get({ host: '127.0.0.1', port, path, agent }, (response) => {
        let body = '';
        response.on('data', (chunk) => (body += chunk));
        const { statusCode: status, headers } = response;
        response.on('end', () => resolve({ status, connection: headers.connection, body }));
      });
      request.on('error', reject);
    });
  }
  async function open(text = ''): Promise<Socket> {
    const socket = connect(port, '127.0.0.1');
    opened.push(socket);
    await new Promise<void>((connected) => socket.once('connect', connected));
    if (text) socket.write(text);
    return socket;
  }
  const underWay = () => waitFor(() => asked === 1, { description: 'the request to be under way' });
  const closed = () => waitFor(() => !app.getHttpServer().listening, { description: 'the socket to close' });

  it('answers a request in hand, and ends its connection', async () => {
    const asking = ask('/slow/whole/7');
    await underWay();
    const drained = drain.run(0);
    await closed();
    expect(drain.pending()).toBe('1 request(s): GET /slow/whole/:id');
    answer();
    expect(await asking).toEqual({ status: 200, connection: 'close', body: '{}' });
    await drained;
  });

  it('completes an answer that is being streamed, and closes its connection although it promised to keep it', async () => {
    const asking = ask('/slow/streamed');
    await underWay();
    const drained = drain.run(0);
    await closed();
    answer();
    expect(await asking).toMatchObject({ status: 200, body: 'first, last' });
    await drained;
  });

  it('still answers for a while on connections that were open, and ends each connection with its answer', async () => {
    const idle = ask('/nowhere');
    expect(await idle).toMatchObject({ status: 404, connection: 'keep-alive' });
    const asking = ask('/slow/whole/1');
    await underWay();
    const drained = drain.run(GRACE_MS);
    expect(await ask('/nowhere')).toMatchObject({ status: 404, connection: 'close' });
    expect(await ask('/%zz')).toMatchObject({ status: 400, connection: 'close' });
    expect(app.getHttpServer().listening).toBe(true);
    answer();
    expect(await asking).toMatchObject({ status: 200, connection: 'close' });
    await drained;
    await expect(ask('/nowhere')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });

  it('forgets the requests of a closed connection, including those that waited there for their turn', async () => {
    const request = 'GET /slow/whole/1 HTTP/1.1\r\nHost: here\r\n\r\n';
    const socket = await open(request.repeat(3));
    await waitFor(() => asked === 3, { description: 'all requests to be under way' });
    expect(drain.pending()).toBe('3 request(s): GET /slow/whole/:id');
    socket.destroy();
    await waitFor(() => drain.pending() === '0 connection(s) without a whole request', {
      description: 'all requests to be forgotten',
    });
  });

  it('does not wait for connections that are idle or never bring a request', async () => {
    await ask('/nowhere');
    await open();
    await drain.run(0);
  });

  it('waits for a request that has arrived in part, until its connection is cut', async () => {
    await open('GET /nowhere HTTP/1.1\r\nHost:');
    // This is answered after the server has read the incomplete request: one thread reads both.
    await ask('/nowhere');
    const drained = drain.run(0);
    await closed();
    await waitFor(() => drain.pending() === '1 connection(s) without a whole request', {
      description: 'the other connection to be closed',
    });
    drain.cut();
    await drained;
  });
});
