import { setTimeout as delay, setImmediate as turn } from 'node:timers/promises';
import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { Clock } from '#kernel/clock';
import { logTrouble } from '#platform/database/trouble-log';
import { DeliveryState } from '../queue/delivery';
import { QueueSignal } from '../queue/queue-signal';
import { Attempt, GONE } from './attempt';
import { Rendering } from './bodies/rendering';
import { deliveryMetrics } from './delivery-metrics';
import { DeliverySettings } from './delivery-settings';
import { FailureWatch } from './failure-watch';
import { afterFailure, WELL } from './lanes/breaker';
import { DueDeliveries } from './lanes/due-deliveries';
import type { Item, Lane } from './lanes/lane';
import { LeasedLanes } from './lanes/leased-lanes';
import { type Finished, Outcomes } from './outcomes';
import { QueuePools } from './queue-pools';

/**
 * How long a stop waits for answers of receivers: it must end within some seconds. A delivery that is not answered by
 * then is sent again.
 */
const GRACE_MS = 4_000;

/**
 * Sends due deliveries. One worker at a time serves an endpoint's queue, and each endpoint is served independently of
 * the others. Bodies are made ready ahead, and results are written down in batches.
 */
@Injectable()
export class Dispatcher implements OnApplicationShutdown {
  private readonly log = new Logger(Dispatcher.name);
  private pumping?: Promise<void>;
  private again = false;
  private timer?: NodeJS.Timeout;
  private lookTimer?: NodeJS.Timeout;
  private stopping = false;
  private readonly underWay = new Set<Promise<void>>();
  /** Whether a delivery could begin if results were written down. */
  private isHeldBack = false;

  constructor(
    private readonly leased: LeasedLanes,
    private readonly due: DueDeliveries,
    private readonly rendering: Rendering,
    private readonly attempt: Attempt,
    private readonly outcomes: Outcomes,
    private readonly watch: FailureWatch,
    private readonly signal: QueueSignal,
    private readonly pools: QueuePools,
    private readonly clock: Clock,
    private readonly settings: DeliverySettings,
  ) {}

  start(): void {
    this.signal.listen((endpoints, isChange) => this.signalled(endpoints, isChange));
    this.timer = setInterval(() => this.look(), this.settings.pollMs);
    this.look();
  }

  /** Looks for all due deliveries at once, as the dispatcher does by itself every second. */
  look(): void {
    this.leased.lookEverywhere();
    this.wake();
  }

  async onApplicationShutdown(): Promise<void> {
    if (!this.timer) {
      await this.pools.end();
      return;
    }
    this.stopping = true;
    clearInterval(this.timer);
    clearTimeout(this.lookTimer);
    await this.pumping;
    await Promise.race([Promise.all(this.underWay), delay(GRACE_MS, undefined, { ref: false })]);
    await this.outcomes.end();
    await this.leased
      .release()
      .catch((error: Error) => this.log.warn(`Leases were not released: ${error.message}`));
    await this.signal.disconnect();
    await this.pools.end();
  }

  /**
   * Reacts to a signal: endpoints have something new, or changed settings. A signal about many endpoints names none.
   */
  private signalled(endpoints: readonly string[], isChange: boolean): void {
    if (isChange) this.leased.reread();
    if (endpoints.length === 0) this.leased.lookEverywhere();
    else this.leased.lookAt(endpoints);
    this.wake();
  }

  private wake(): void {
    if (this.stopping) return;
    if (this.pumping) {
      this.again = true;
      return;
    }
    this.pumping = this.pump();
  }

  /** Keeps the lanes filled, round after round while there is something to do. */
  private async pump(): Promise<void> {
    try {
      do {
        this.again = false;
        // Lets answers be handled between rounds, however much there is to do.
        await turn();
        await this.round();
      } while (this.again && !this.stopping);
    } catch (error) {
      // The timer looks again.
      logTrouble(this.log, `Deliveries are held up: ${(error as Error).message}`, error);
    }
    // Cleared in the same turn, so that a `wake` a moment later begins a new pump.
    this.pumping = undefined;
  }

  private async round(): Promise<void> {
    await this.leased.refresh();
    const lanes = this.leased.all;
    await this.due.fetch(lanes, this.clock.now());
    this.render(lanes);
  }

  /** Reads missing records, without waiting: more deliveries are fetched meanwhile. */
  private render(lanes: readonly Lane[]): void {
    const at = performance.now();
    const busy = lanes.filter(({ items }) => items.length > 0);
    for (const lane of busy) lane.share = this.settings.aheadChars / busy.length;
    const toRender = lanes.flatMap((lane) => lane.toRender(at));
    const begin = (some: Iterable<Lane>) => {
      for (const lane of some) this.begin(lane);
    };
    if (toRender.length === 0) {
      begin(lanes);
      this.lookAgain();
      return;
    }
    const rendering = this.rendering
      .render(toRender, begin)
      .then(() => begin(lanes))
      .finally(() => {
        this.underWay.delete(rendering);
        this.lookAgain();
      });
    this.underWay.add(rendering);
  }

  /** Sets a timer for deliveries that could not be made ready because their read model is behind. */
  private lookAgain(): void {
    const at = performance.now();
    const next = Math.min(...this.leased.all.map((lane) => lane.looksAgainAt(at)));
    clearTimeout(this.lookTimer);
    if (next === Infinity || this.stopping) return;
    this.lookTimer = setTimeout(() => this.wake(), Math.max(1, next - at));
  }

  /** Begins as many deliveries as the endpoint may have under way. */
  private begin(lane: Lane): void {
    const now = this.clock.now();
    const at = performance.now();
    while (!this.stopping) {
      if (this.outcomes.isFull) {
        this.isHeldBack = true;
        break;
      }
      const item = lane.next(now, at);
      if (!item) break;
      const sending = this.send(item).finally(() => this.underWay.delete(sending));
      this.underWay.add(sending);
    }
    // A rendering that is under way begins its deliveries itself.
    const isToRender = lane.starves && lane.toRender(at).length > 0;
    if (isToRender || lane.wanted(now) > 0) this.wake();
  }

  private async send(item: Item): Promise<void> {
    const { lane } = item;
    let finished: Finished | undefined;
    try {
      finished = await this.attempt.send(item);
      this.judge(lane, finished);
      // The webhook is disabled before the result is written down: if this worker dies in between, another asks the
      // receiver again.
      if (finished.status === GONE) await this.watch.gone({ ...lane.config, url: finished.url });
    } catch (error) {
      // This is a fault of the service, not of the receiver: the delivery is tried again when the lane next looks.
      const what = finished ? 'was answered 410, but its webhook is not disabled yet' : 'cannot be sent';
      logTrouble(this.log, `Delivery ${item.delivery.event_id} ${what}: ${(error as Error).message}`, error);
      finished = undefined;
    }
    lane.ended(finished?.milliseconds ?? 0);
    if (!finished) {
      lane.isDrained = true;
      lane.known.delete(item.delivery.event_id);
      return;
    }
    this.outcomes.add(finished, (all) => this.written(all));
    this.begin(lane);
  }

  private judge(lane: Lane, { url, at, state, status, error, milliseconds }: Finished): void {
    const succeeded = state === DeliveryState.Delivered;
    deliveryMetrics.attempt(succeeded, status, error, milliseconds);
    // An answer of another address says nothing about the current one.
    if (error === 'permission_denied' || url !== lane.config.url) return;
    if (!succeeded) {
      lane.standing = afterFailure(lane.standing, at, this.clock.now());
      lane.isChanged = true;
      if (status === GONE) lane.reconfigure({ ...lane.config, active: false }, lane.leasedUntil);
      // The breaker is open: the next delivery is tried alone, or none is.
      if (lane.standing.openUntil) lane.drop();
    } else if (lane.standing.failingSince !== null) {
      lane.standing = WELL;
      lane.isChanged = true;
      lane.isDrained = false;
    }
  }

  private written(all: readonly Finished[]): void {
    for (const { item } of all) item.lane.known.delete(item.delivery.event_id);
    if (this.leased.wantsRoom) this.wake();
    if (!this.isHeldBack) return;
    this.isHeldBack = false;
    for (const lane of this.leased.all) this.begin(lane);
  }
}
