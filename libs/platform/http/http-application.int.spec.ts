import { Controller, Get, Module } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { waitFor } from '../../../test/support/wait-for';
import { Config } from '../config';
import { createHttpApplication } from './http-application';

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
    const config = Object.assign(new Config(), { NODE_ENV: 'test', LOG_LEVEL: 'silent' });
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
