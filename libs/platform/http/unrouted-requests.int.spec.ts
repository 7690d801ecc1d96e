import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { Body, Controller, Module, Post } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { Config } from '../config';
import { createHttpApplication } from './http-application';

const config = Object.assign(new Config(), { NODE_ENV: 'test', LOG_LEVEL: 'silent' });

const JSON_BODY = 'Content-Type: application/json\r\nContent-Length: 7\r\n\r\n{"a":1}';

describe('a request that no route sees', () => {
  let app: NestFastifyApplication;

  @Controller('echo')
  class EchoController {
    @Post()
    echo(@Body() body: object): object {
      return body;
    }
  }

  @Module({ controllers: [EchoController] })
  class EchoModule {}

  beforeAll(async () => {
    app = await createHttpApplication(EchoModule, config);
    await app.listen(0, '127.0.0.1');
  });
  afterAll(() => app.close());

  /** The server's answer to bytes that are sent as they are. */
  async function answerTo(bytes: string): Promise<{ head: string; body: Record<string, unknown> }> {
    const [head, body] = (await bytesOf(bytes)).split('\r\n\r\n');
    return { head, body: JSON.parse(body) };
  }

  /** All that the server sends until it ends the connection. */
  async function bytesOf(bytes: string): Promise<string> {
    const socket = connect(Number(new URL(await app.getUrl()).port), '127.0.0.1');
    await once(socket, 'connect');
    socket.write(bytes);
    return text(socket);
  }

  it.each([
    ['bytes that are not HTTP', 'nonsense\r\n\r\n', 400, 'malformed_request'],
    ['an unknown method', 'FOO / HTTP/1.1\r\nHost: x\r\n\r\n', 400, 'malformed_request'],
    [
      'too many headers',
      `GET / HTTP/1.1\r\nHost: x\r\nX-Large: ${'x'.repeat(20_000)}\r\n\r\n`,
      431,
      'headers_too_large',
    ],
    ['no host', 'GET /echo HTTP/1.1\r\n\r\n', 400, 'malformed_request'],
    ['no host, and a body', `POST /echo HTTP/1.1\r\n${JSON_BODY}`, 400, 'malformed_request'],
    [
      'an expectation that nobody knows',
      'GET /echo HTTP/1.1\r\nHost: x\r\nExpect: more\r\n\r\n',
      417,
      'expectation_failed',
    ],
    [
      'such an expectation, and a body',
      `POST /echo HTTP/1.1\r\nHost: x\r\nExpect: more\r\n${JSON_BODY}`,
      417,
      'expectation_failed',
    ],
  ])('is refused with a problem like any other: %s', async (_, bytes, status, code) => {
    const { head, body } = await answerTo(bytes);
    expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(head).toMatch(/content-type: application\/problem\+json/i);
    expect(body).toMatchObject({ status, code, success: false, reason: body.detail });
    expect(head).toContain(body.traceId);
  });

  it('needs no host in HTTP/1.0, and may expect an answer before its body in HTTP/1.1', async () => {
    const { head, body } = await answerTo(`POST /echo HTTP/1.0\r\n${JSON_BODY}`);
    expect(head).toMatch(/^HTTP\/1.1 201 /);
    expect(body).toEqual({ a: 1 });

    const answer = await bytesOf(
      `POST /echo HTTP/1.1\r\nHost: x\r\nConnection: close\r\nExpect: 100-continue\r\n${JSON_BODY}`,
    );
    expect(answer).toMatch(/^HTTP\/1.1 100 Continue\r\n\r\nHTTP\/1.1 201 /);
  });

  it('tells a client that cannot be understood the trace id that it gave', async () => {
    const traceId = '0af7651916cd43dd8448eb211c80319c';
    const { head, body } = await answerTo(
      `GET /echo HTTP/1.1\r\nHost: x\r\nExpect: more\r\ntraceparent: 00-${traceId}-b7ad6b7169203331-01\r\n\r\n`,
    );
    expect(head).toMatch(new RegExp(`^x-trace-id: ${traceId}\r?$`, 'im'));
    expect(body).toMatchObject({ traceId, instance: '/echo' });
  });

  it('is answered with 404 when no address takes its method, with a body or without', async () => {
    for (const headers of ['', 'Content-Type: application/json\r\nContent-Length: 2\r\n']) {
      const { body } = await answerTo(
        `QUERY /echo HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${headers}\r\n${headers && '{}'}`,
      );
      expect(body).toMatchObject({ status: 404, code: 'no_such_address' });
    }
  });

  it('is refused when its body is compressed, and accepted with Content-Encoding: identity', async () => {
    const post = async (coding: string, body: Uint8Array) =>
      fetch(`${await app.getUrl()}/echo`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', 'Content-Encoding': coding },
        body,
      });
    const json = Buffer.from('{"a":1}');
    const compressed = await post('gzip', gzipSync(json));
    expect(compressed.status).toBe(415);
    expect(compressed.headers.get('accept-encoding')).toBe('identity');
    expect(await compressed.json()).toMatchObject({ code: 'unsupported_media_type' });
    expect((await post('identity', json)).status).toBe(201);
  });
});
