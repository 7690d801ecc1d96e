import { Injectable, Module, type OnApplicationShutdown } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { watchShutdowns } from './pending-shutdowns';

let finish: () => void;

@Injectable()
class Slow implements OnApplicationShutdown {
  private readonly work = new Promise<void>((resolve) => (finish = resolve));

  onApplicationShutdown(): Promise<void> {
    return this.work;
  }
}

@Injectable()
class Quick implements OnApplicationShutdown {
  onApplicationShutdown(): void {}
}

@Module({ providers: [Slow, Quick, { provide: 'nothing', useValue: undefined }] })
class Parts {}

it('names the providers that an application is waiting for as it closes', async () => {
  const app = await NestFactory.createApplicationContext(Parts, { logger: false });
  const pending = watchShutdowns(app);
  const closing = app.close();
  await new Promise(setImmediate);
  expect([...pending]).toEqual(['Slow']);
  finish();
  await closing;
  expect([...pending]).toEqual([]);
});
