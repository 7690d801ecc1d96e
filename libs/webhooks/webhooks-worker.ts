import { Injectable } from '@nestjs/common';
import { Dispatcher } from './delivery/dispatcher';
import { FanOut } from './fan-out';
import { WebhookPruning } from './pruning';
import { Replays } from './replays';

/** All that sends webhooks in a process. */
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
