import { Injectable } from '@nestjs/common';
import { Clock } from '#kernel/clock';
import { QueueSignal } from '../../queue/queue-signal';
import { deliveryMetrics } from '../delivery-metrics';
import { DeliverySettings } from '../delivery-settings';
import type { Lane } from './lane';
import { areOfOne } from './lane-config';
import { LaneLeases } from './lane-leases';

/** The endpoints that this worker serves. It takes endpoints that have something to send, and releases idle ones. */
@Injectable()
export class LeasedLanes {
  private readonly lanes = new Map<string, Lane>();
  /** Endpoints that were signalled to have something to send and that this worker does not serve. */
  private candidates = new Set<string>();
  private looksEverywhere = true;
  private renewedAt = -Infinity;

  constructor(
    private readonly leases: LaneLeases,
    private readonly signal: QueueSignal,
    private readonly clock: Clock,
    private readonly settings: DeliverySettings,
  ) {}

  get all(): Lane[] {
    return [...this.lanes.values()];
  }

  /** Whether endpoints that have something to send wait for a place among those served. */
  get wantsRoom(): boolean {
    return this.looksEverywhere || this.candidates.size > 0;
  }

  /** Notes that any endpoint may have something new. */
  lookEverywhere(): void {
    this.looksEverywhere = true;
    for (const lane of this.lanes.values()) lane.isDrained = false;
  }

  /** Notes that the endpoints with these keys have something new. */
  lookAt(endpoints: readonly string[]): void {
    for (const endpoint of endpoints) {
      const lane = this.lanes.get(endpoint);
      if (lane) lane.isDrained = false;
      else this.candidates.add(endpoint);
    }
  }

  /** Notes that settings of endpoints have changed: they are read again before anything more is fetched. */
  reread(): void {
    this.renewedAt = -Infinity;
  }

  async refresh(): Promise<void> {
    await this.keep();
    await this.take();
  }

  async release(): Promise<void> {
    await this.leases.release(this.all);
  }

  /** Renews leases well before they end, and releases idle endpoints. */
  private async keep(): Promise<void> {
    const at = performance.now();
    if (at - this.renewedAt < this.settings.leaseMs / 4) return;
    this.renewedAt = at;
    this.signal.connect();
    this.limitSlow();
    const idle = this.all.filter(
      (lane) => lane.known.size === 0 && at - lane.lastBusyAt > this.settings.leaseMs,
    );
    for (const lane of idle) this.lanes.delete(lane.key);
    await this.leases.release(idle);
    if (this.lanes.size === 0) return;
    for (const lane of await this.leases.renew(this.all)) {
      // A lane without a lease begins nothing more: otherwise its ready deliveries would begin as soon as another ends.
      lane.leasedUntil = -Infinity;
      this.lanes.delete(lane.key);
    }
  }

  private async take(): Promise<void> {
    if (!this.looksEverywhere && this.candidates.size === 0) return;
    const room = await this.makeRoom();
    if (room <= 0) return;
    const only = this.looksEverywhere ? undefined : [...this.candidates];
    this.looksEverywhere = false;
    this.candidates = new Set();
    const taken = await this.leases.take(this.clock.now(), room, only);
    for (const lane of taken) this.hold(lane);
    if (taken.length < room) return;
    // There may be more endpoints than there was room for.
    if (!only) this.looksEverywhere = true;
    for (const key of only ?? []) if (!this.lanes.has(key)) this.candidates.add(key);
  }

  /**
   * Takes in a lane whose lease was taken. The lease may be one of this worker's own, which ran out while the database
   * was silent: what is under way is then not sent once more, and what has not begun is fetched again, as another worker
   * may have sent it.
   */
  private hold(lane: Lane): void {
    const held = this.lanes.get(lane.key);
    if (held && areOfOne(held.config, lane.config)) {
      held.reconfigure(lane.config, lane.leasedUntil);
      held.drop();
      return;
    }
    if (held) held.leasedUntil = -Infinity;
    this.lanes.set(lane.key, lane);
  }

  /** Gives each slow endpoint its part of the deliveries that may be under way to all of them. */
  private limitSlow(): void {
    const { concurrency, slowUnderWay } = this.settings;
    const { slow, prompt, waiting } = this.kinds();
    deliveryMetrics.serves({ slow: slow.length, prompt: prompt.length, waiting: waiting.length });
    for (const lane of prompt) lane.most = concurrency;
    for (const lane of slow)
      lane.most = Math.max(1, Math.min(concurrency, Math.floor(slowUnderWay / slow.length)));
  }

  private kinds() {
    const at = performance.now();
    const [slow, prompt, waiting]: Lane[][] = [[], [], []];
    for (const lane of this.lanes.values())
      (lane.waits ? waiting : lane.isSlow(at) ? slow : prompt).push(lane);
    return { slow, prompt, waiting };
  }

  /**
   * How many more endpoints may be served. Slow ones have places of their own, so that others need not wait for their
   * receivers. At the limit, the endpoints that have been idle for the longest are released.
   */
  private async makeRoom(): Promise<number> {
    const { slow, prompt } = this.kinds();
    const { lanes, slowLanes } = this.settings;
    const room = lanes - prompt.length - Math.max(0, slow.length - slowLanes);
    if (room > 0) return room;
    const idle = prompt
      .filter(({ known }) => known.size === 0)
      .sort((a, b) => a.lastBusyAt - b.lastBusyAt)
      .slice(0, Math.ceil(this.settings.lanes / 4));
    for (const { key, isDrained } of idle) {
      this.lanes.delete(key);
      if (!isDrained) this.candidates.add(key);
    }
    await this.leases.release(idle);
    return room + idle.length;
  }
}
