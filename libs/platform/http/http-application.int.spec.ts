import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { Body, Controller, Delete, Get, Module, Param, Patch, Post } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { waitFor } from '../../../test/support/wait-for';
import { Config } from '../config';
import { createHttpApplication } from './http-application';
import { TextField } from './input/fields';
import { Reply } from './reply';

const config = Object.assign(new Config(), { NODE_ENV: 'test', LOG_LEVEL: 'silent' });

describe('a request', () => {
  let app: NestFastifyApplication;

  class Named {
    @TextField()
    name?: string;
  }

  @Controller()
  class BodyController {
    @Patch('named')
    named(@Body() body: Named): object {
      return body;
    }

    @Post('maybe-named')
    maybeNamed(@Body() body: Named): object {
      return body;
    }

    @Post('act')
    act(): object {
      return {};
    }

    @Delete('gone')
    remove(): object {
      return {};
    }

    @Get(':part')
    measure(@Param('part') part: string): object {
      return { length: part.length };
    }
  }

  @Module({ controllers: [BodyController] })
  class BodyModule {}

  beforeAll(async () => {
    app = await createHttpApplication(BodyModule, config);
    await app.listen(0, '127.0.0.1');
  });
  afterAll(() => app.close());

  async function send(method: string, path: string, body: string | Uint8Array, type = 'application/json') {
    const url = `${await app.getUrl()}/${path}`;
    const answer = await fetch(url, { method, headers: { 'Content-Type': type }, body });
    return { status: answer.status, body: await answer.json() };
  }

  it('is told its trace id even when its address cannot be decoded', async () => {
    const answer = await fetch(`${await app.getUrl()}/%zz`);
    const traceId = answer.headers.get('x-trace-id');
    expect(traceId).toMatch(/^[0-9a-f]{32}$/);
    expect(await answer.json()).toMatchObject({ status: 400, code: 'malformed_request', traceId });
  });

  it('is not read any further when its address cannot be decoded', async () => {
    const { hostname, port } = new URL(await app.getUrl());
    const socket = connect(Number(port), hostname);
    socket.write('POST /%zz HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n');
    const answer = await text(socket);
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(answer).toMatch(/^connection: close\r$/im);
  });

  it.each([
    ['?name=M%FCller', '/name', 'name is not UTF-8 in percent-encoding'],
    ['?name=100%', '/name', 'name is not UTF-8 in percent-encoding'],
    ['?a=1&b~c/=%zz', '/b~0c~1', 'b~c/ is not UTF-8 in percent-encoding'],
    ['?%E9=1', '', 'A parameter is not UTF-8 in percent-encoding'],
  ])('is refused with a query that cannot be decoded: %s', async (query, pointer, message) => {
    const answer = await fetch(`${await app.getUrl()}/word${query}`);
    const errors = [{ pointer, code: 'undecodable', message }];
    expect(await answer.json()).toMatchObject({
      status: 400,
      code: 'invalid_query',
      detail: message,
      errors,
    });
  });

  it('may have a query in percent-encoding', async () => {
    expect((await fetch(`${await app.getUrl()}/word?name=M%C3%BCller+100%25&&flag`)).status).toBe(200);
  });

  it('reaches its route even when a part of its address is longer than any id', async () => {
    const answer = await fetch(`${await app.getUrl()}/${'x'.repeat(15_000)}`);
    expect(await answer.json()).toEqual({ length: 15_000 });
  });

  it('may have a byte order mark before its body', async () => {
    expect(await send('PATCH', 'named', '\ufeff{"name":"\ufeffx"}')).toEqual({
      status: 200,
      body: { name: '\ufeffx' },
    });
    expect((await send('PATCH', 'named', '\ufeff\ufeff{}')).status).toBe(400);
  });

  it.each(['application/x-www-form-urlencoded', 'text/plain', 'application/json'])(
    'counts as one without a body when its body is empty, whatever its type: %s',
    async (type) => {
      expect((await send('POST', 'act', '', type)).status).toBe(201);
      expect((await send('PATCH', 'named', '', type)).status).toBe(200);
      const chunked = await fetch(`${await app.getUrl()}/act`, {
        method: 'POST',
        headers: { 'Content-Type': type },
        body: new ReadableStream({ start: (controller) => controller.close() }),
        duplex: 'half',
      } as RequestInit);
      expect(chunked.status).toBe(201);
    },
  );

  it.each([
    ['POST', 'act', 415],
    ['DELETE', 'gone', 200],
    ['POST', 'nowhere', 404],
  ])('with a body of another type: %s %s is %d', async (method, path, status) => {
    expect((await send(method, path, 'x', 'text/plain')).status).toBe(status);
  });

  it.each(['text/plain', 'nonsense'])(
    'with a body of the type %s is told which type it must have',
    async (type) => {
      const { body } = await send('POST', 'act', '{}', type);
      const detail = 'The body must be JSON, with Content-Type: application/json.';
      expect(body).toMatchObject({ code: 'unsupported_media_type', detail });
    },
  );

  it('that deletes may have any body but a large one', async () => {
    for (const body of ['{bad', '{"a":1}', '[]', 'null', '\0'])
      expect((await send('DELETE', 'gone', body)).status).toBe(200);
    for (const type of ['application/json', 'text/plain'])
      expect((await send('DELETE', 'gone', 'x'.repeat(1_100_000), type)).status).toBe(413);
  });

  it.each(['act', 'maybe-named'])('that posts null counts as one without a body: %s', async (path) => {
    expect((await send('POST', path, 'null')).status).toBe(201);
  });

  it('must have an object as its body, which null is not in a PATCH', async () => {
    const refused = { status: 422, body: { code: 'not_an_object' } };
    expect(await send('PATCH', 'named', 'null')).toMatchObject(refused);
    for (const path of ['act', 'maybe-named']) expect(await send('POST', path, '[]')).toMatchObject(refused);
  });
});

describe('an answer without a body', () => {
  let app: NestFastifyApplication;

  @Controller()
  class StatusController {
    @Get(':status')
    answer(@Param('status') status: string): Reply {
      return new Reply(Number(status), undefined, { ETag: '"1"' });
    }
  }

  @Module({ controllers: [StatusController] })
  class StatusModule {}

  beforeAll(async () => {
    app = await createHttpApplication(StatusModule, config);
    await app.listen(0, '127.0.0.1');
  });
  afterAll(() => app.close());

  it.each([
    ['201', '0'],
    ['204', null],
    ['304', null],
  ])('with the status %s has the Content-Length %j', async (status, length) => {
    const { headers } = await fetch(`${await app.getUrl()}/${status}`);
    expect(headers.get('etag')).toBe('"1"');
    expect(headers.get('content-length')).toBe(length);
    expect(headers.get('content-type')).toBeNull();
    expect(headers.get('transfer-encoding')).toBeNull();
  });
});

describe('an HTTP application that closes', () => {
  let app: NestFastifyApplication;
  let asked = false;
  let answer: () => void;

  @Controller('slow')
  class SlowController {
    @Get()
    async get(): Promise<object> {
      asked = true;
      await new Promise<void>((resolve) => (answer = resolve));
      return {};
    }
  }

  @Module({ controllers: [SlowController] })
  class SlowModule {}

  it('finishes a request that is under way, and does not keep its connection', async () => {
    app = await createHttpApplication(SlowModule, config);
    await app.listen(0, '127.0.0.1');
    const asking = fetch(`${await app.getUrl()}/slow`);
    await waitFor(() => asked, { description: 'the request to be under way' });
    const closing = app.close();
    await waitFor(() => !app.getHttpServer().listening, { description: 'the server to stop listening' });
    answer();
    expect((await asking).status).toBe(200);
    await closing;
  }, 30_000);
});
