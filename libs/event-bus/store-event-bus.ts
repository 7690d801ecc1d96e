import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { type Cursor, Feed } from '#event-store/feed';
import { Config } from '#platform/config';
import { Health } from '#platform/observability/health';
import { Consumer } from './consumer';
import { EventBus, type Subscriber, type Subscription } from './event-bus';
import { StoreSource } from './store-source';

/** The store's own feed carries the events: every subscriber reads it. */
@Injectable()
export class StoreEventBus extends EventBus implements OnApplicationShutdown {
  private readonly consumers: Consumer[] = [];

  constructor(
    private readonly config: Config,
    private readonly feed: Feed,
    health: Health,
  ) {
    super();
    health.watch(async () => this.consumers.flatMap(({ problems }) => problems));
  }

  subscribe(subscriber: Subscriber): Subscription {
    const { databaseUrl, PROJECTION_BATCH } = this.config;
    const page = (cursors: Cursor[], limit: number) =>
      this.feed.page(cursors, limit, subscriber.passesOver?.());
    const consumer = new Consumer(
      subscriber,
      PROJECTION_BATCH,
      (calls) => new StoreSource(databaseUrl, subscriber.name, this.feed, page, calls),
    );
    this.consumers.push(consumer);
    return consumer;
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all(this.consumers.map((consumer) => consumer.stop()));
  }
}
