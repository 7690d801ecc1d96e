import { randomUUID } from 'node:crypto';
import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { Config } from '#platform/config';
import { WriteDatabase } from '#platform/database';
import { Listener } from '#platform/database/listener';

const CHANNEL = 'webhooks_queued';
const COALESCE_MS = 5;
/**
 * NOTIFY takes 8,000 bytes. A signal for more endpoints than this names none of them: every worker looks for itself.
 */
const MOST = 150;

/**
 * @param endpoints keys of the endpoints
 * @param isChange whether the endpoints' settings changed
 */
export type QueueListener = (endpoints: readonly string[], isChange: boolean) => void;

/** Marks a signal about changed settings. */
const CHANGED = '!';

/**
 * Tells workers which endpoints have something to send, or have changed settings. The worker in this process is told at
 * once, the others by one NOTIFY for several milliseconds, never inside a transaction. A lost signal costs a second,
 * never a message.
 */
@Injectable()
export class QueueSignal implements OnApplicationShutdown {
  private readonly log = new Logger(QueueSignal.name);
  /** Names the sender in a signal: a process receives its own signals too, and ignores them. */
  private readonly own = randomUUID();
  private readonly listeners: QueueListener[] = [];
  private endpoints = new Set<string>();
  private timer?: NodeJS.Timeout;
  private readonly listener: Listener;

  constructor(
    private readonly database: WriteDatabase,
    config: Config,
  ) {
    const heard = (payload: string) => this.heard(payload);
    this.listener = new Listener(config.databaseUrl, CHANNEL, 'practice webhooks listener', heard);
  }

  queued(endpoints: readonly string[]): void {
    if (endpoints.length === 0) return;
    for (const listener of this.listeners) listener(endpoints, false);
    for (const endpoint of endpoints) this.endpoints.add(endpoint);
    this.timer ??= setTimeout(() => this.sendQueued(), COALESCE_MS);
  }

  /**
   * Signals that an endpoint was changed or removed: the worker that serves it reads its settings again. Without an
   * endpoint, any endpoint may have changed.
   */
  changed(endpoint?: string): void {
    const endpoints = endpoint === undefined ? [] : [endpoint];
    for (const listener of this.listeners) listener(endpoints, true);
    this.send([CHANGED, ...endpoints]);
  }

  listen(listener: QueueListener): void {
    this.listeners.push(listener);
  }

  /**
   * Listens to the signals of other processes. Each further call listens anew if the connection was lost. The caller
   * does not wait: without signals, workers look for themselves.
   */
  connect(): void {
    this.listener
      .connect()
      .catch((error: Error) =>
        this.log.warn(`Signals about new deliveries are not received, the queue is polled: ${error.message}`),
      );
  }

  async disconnect(): Promise<void> {
    await this.listener.end();
  }

  onApplicationShutdown(): void {
    clearTimeout(this.timer);
  }

  private heard(payload: string): void {
    const [sender, ...endpoints] = payload.split(',');
    if (sender === this.own) return;
    const isChange = endpoints[0] === CHANGED;
    for (const listener of this.listeners) listener(isChange ? endpoints.slice(1) : endpoints, isChange);
  }

  private sendQueued(): void {
    const endpoints = this.endpoints.size > MOST ? [] : [...this.endpoints];
    this.endpoints = new Set();
    this.timer = undefined;
    this.send(endpoints);
  }

  private send(words: readonly string[]): void {
    const payload = [this.own, ...words].join(',');
    this.database.pool
      .query({ name: 'webhooks.signal', text: 'select pg_notify($1, $2)', values: [CHANNEL, payload] })
      .catch((error: Error) => this.log.warn(`Workers were not signalled: ${error.message}`));
  }
}
