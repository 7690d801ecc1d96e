import { Injectable } from '@nestjs/common';
import { Dispatcher } from './delivery/dispatcher';
import { WebhookPruning } from './log/pruning';
import { FanOut } from './queue/fan-out';
import { Replays } from './queue/replays';

/** Starts everything that sends webhooks in a process. */
@Injectable()
export class WebhooksWorker {
  constructor(
    private readonly fanOut: FanOut,
    private readonly dispatcher: Dispatcher,
    private readonly replays: Replays,
    private readonly pruning: WebhookPruning,
  ) {}

  start(): void {
    this.dispatcher.start();
    this.fanOut.start();
    this.replays.start();
    this.pruning.start();
  }
}
