import { NIL } from 'uuid';
import { type DueDelivery, endpointKey } from '../../queue/delivery';
import type { RecordAsRead } from '../bodies/record-as-read';
import type { DeliverySettings } from '../delivery-settings';
import { mayBeUnderWay, type Standing } from './breaker';
import { type LaneConfig, standingOf } from './lane-config';
import { Pace } from './pace';

/** The place before every delivery. */
const START: Pick<DueDelivery, 'due_at' | 'event_id'> = {
  due_at: '1970-01-01 00:00:00Z',
  event_id: NIL,
};

/** A delivery that this worker has in hand. */
export interface Item {
  delivery: DueDelivery;
  lane: Lane;
  record?: RecordAsRead;
  isBeingRendered: boolean;
  /** By performance.now, when the record was read. */
  renderedAt: number;
  /**
   * By performance.now, when to look again for a record that its read model did not have yet, or that could not be
   * read.
   */
  lookAt: number;
  /** By performance.now, when the record was first looked for in vain. */
  waitsSince?: number;
}

/**
 * Characters expected of a record before any was read. High, so that a worker reads few records at first: it may have
 * been restarted because large ones filled its memory.
 */
const FIRST_EXPECTATION = 64 * 1024;

/** The queue of one endpoint. This worker alone serves it while its lease lasts. */
export class Lane {
  /** Deliveries that wait, in the order in which they are sent. */
  items: Item[] = [];
  /** Event ids of all deliveries in hand: waiting, under way, or finished with the result not yet stored. */
  readonly known = new Set<string>();
  /** Deliveries that may be under way at once. */
  most: number;
  /** The last delivery fetched: the next fetch goes on behind it. */
  fetchedTo = START;
  /** Counts the decisions to fetch from the start, so that a fetch under way notices one. */
  restarts = 0;
  /** Whether the last fetch found nothing more that was due. */
  isDrained = false;
  lastBusyAt = performance.now();
  private readonly pace = new Pace();
  /** Whether there is a free slot and something to send, but no record is ready. */
  starves = false;
  /** Characters of records that the lane may have in hand. */
  share: number;
  /** Characters of its share that are still free. */
  room: number;
  /** Characters expected of the next record. */
  expected = FIRST_EXPECTATION;
  /** Kinds of records whose read model is behind: deliveries of other kinds overtake theirs. */
  readonly late = new Set<string>();
  readonly key: string;
  standing: Standing;
  /** Whether the standing is not stored yet. */
  isChanged = false;

  constructor(
    private settings: DeliverySettings,
    public config: LaneConfig,
    /** By performance.now, when the lease ends. */
    public leasedUntil: number,
  ) {
    this.key = endpointKey(config);
    this.share = this.room = settings.aheadChars;
    this.most = settings.concurrency;
    this.standing = standingOf(config);
  }

  /** How many more deliveries to fetch. */
  wanted(now: Date): number {
    if (this.isDrained || !this.config.active) return 0;
    const slots = mayBeUnderWay(this.standing, this.most, now);
    if (slots === 0) return 0;
    const ahead = Math.min(slots === 1 ? 1 : this.settings.ahead, this.ahead);
    // The lane refills when it is half empty, so that some deliveries are ready while more are fetched.
    const { length } = this.line;
    return length <= ahead / 2 ? ahead - length : 0;
  }

  /** Notes that an attempt has ended. */
  ended(milliseconds: number): void {
    this.pace.ended(milliseconds);
  }

  /**
   * Takes account of a record's size. The expectation rises at once and falls slowly, as one as large may come again.
   */
  took({ length, text }: RecordAsRead): void {
    if (length > 0) this.expected = Math.max(length, (this.expected * 7) / 8);
    this.room -= text?.length ?? 0;
  }

  add(delivery: DueDelivery): void {
    if (this.known.has(delivery.event_id)) return;
    this.known.add(delivery.event_id);
    this.items.push({ delivery, lane: this, isBeingRendered: false, renderedAt: 0, lookAt: 0 });
  }

  /** The deliveries whose record is to be read now: as many as the lane's share has room for, at least one. */
  toRender(at: number): Item[] {
    // A record that is too old to be sent is read again when its turn comes. Dropped here, it frees its room until
    // then.
    for (const item of this.items) if (!this.isReady(item, at)) item.record = undefined;
    this.passBy(at);
    // A record that was read now would be too old when the next attempt can begin.
    if (this.isSlow(at) && this.underWay >= this.most) return [];
    this.room = this.share;
    let reading = 0;
    for (const { record, isBeingRendered } of this.items)
      if (record) this.room -= record.text?.length ?? 0;
      else if (isBeingRendered) reading += this.expected;
    let inHand = this.share - this.room + reading;
    const toRender: Item[] = [];
    const inLine = this.line.slice(0, this.ahead);
    for (const item of this.late.size === 0 ? inLine : this.withLate(inLine)) {
      if (item.record || item.isBeingRendered || item.lookAt > at) continue;
      if (inHand > 0 && inHand + this.expected > this.share) break;
      toRender.push(item);
      inHand += this.expected;
    }
    return toRender;
  }

  /**
   * When to look again for a record that its read model did not have yet, by performance.now; Infinity: no need. A
   * record for which there is no room needs no timer: it is looked for once another delivery was sent.
   */
  looksAgainAt(at: number): number {
    const looks = this.items
      .filter(({ record, isBeingRendered, lookAt }) => !record && !isBeingRendered && lookAt > 0)
      .map(({ lookAt }) => lookAt);
    if (looks.some((lookAt) => lookAt <= at) && this.toRender(at).length > 0) return at;
    return Math.min(...looks.filter((lookAt) => lookAt > at));
  }

  /** Takes the next delivery whose record is ready, if the endpoint may have one more under way. */
  next(now: Date, at: number): Item | undefined {
    if (!this.config.active || at > this.leasedUntil) return undefined;
    if (this.underWay >= mayBeUnderWay(this.standing, this.most, now)) return undefined;
    const index = this.items.findIndex((item) => this.isReady(item, at));
    this.starves = index < 0 && this.items.length > 0;
    if (index < 0) return undefined;
    const [item] = this.items.splice(index, 1);
    this.pace.began(at);
    this.lastBusyAt = at;
    return item;
  }

  /** Forgets the deliveries that have not begun; they are fetched again with what has changed meanwhile. */
  drop(): void {
    for (const { delivery } of this.items) this.known.delete(delivery.event_id);
    this.items = [];
    this.isDrained = false;
    this.fetchAnew();
  }

  get underWay(): number {
    return this.pace.underWay;
  }

  /** Whether its receiver takes long to answer. */
  isSlow(at: number): boolean {
    return this.pace.isSlower(this.settings.slowMs, at);
  }

  /** Whether some of its records wait for a read model that is behind. */
  get waits(): boolean {
    return this.late.size > 0;
  }

  get isAtStart(): boolean {
    return this.fetchedTo === START;
  }

  /** Makes the next fetch begin at the start: something queued since may be due before what was fetched. */
  fetchAnew(): void {
    this.fetchedTo = START;
    this.restarts++;
  }

  /** Takes over the endpoint's current settings. */
  reconfigure(config: LaneConfig, leasedUntil: number): void {
    const isElsewhere = config.url !== this.config.url;
    const isOther = isElsewhere || config.payload_mode !== this.config.payload_mode;
    // An endpoint that was disabled and enabled again in between counts too: its deliveries in hand were marked as
    // failed.
    const wasDisabled = config.disabled_at?.getTime() !== this.config.disabled_at?.getTime();
    this.config = config;
    this.leasedUntil = leasedUntil;
    // Failures of the former address say nothing about the new one.
    if (isElsewhere) this.isChanged = false;
    if (!this.isChanged) this.standing = standingOf(config);
    if (isOther || wasDisabled || !config.active) this.drop();
  }

  /** How many deliveries to have ready: as many as can be begun before their records are too old. */
  private get ahead(): number {
    const { concurrency, freshMs } = this.settings;
    return Math.max(concurrency, Math.floor((concurrency * freshMs) / 2 / Math.max(this.pace.average, 1)));
  }

  /** The deliveries in order, without those that are overtaken. */
  private get line(): Item[] {
    return this.late.size === 0 ? this.items : this.items.filter((item) => !this.isLate(item));
  }

  /**
   * One delivery of each late kind, then those in line, then the other late ones. Without the first, a backlog in line
   * would take all the room, and nobody would notice that the read model has caught up.
   */
  private withLate(inLine: readonly Item[]): Iterable<Item> {
    const late = this.items.filter((item) => this.isLate(item));
    const ofEach = new Map(late.map((item) => [item.delivery.kind, item]));
    return new Set([...ofEach.values(), ...inLine, ...late]);
  }

  private isLate({ delivery }: Item): boolean {
    return this.late.has(delivery.kind);
  }

  /**
   * Decides anew which kinds are late, and forgets most deliveries of those. A few of each kind stay in hand, to notice
   * when the read model has caught up; then the forgotten ones are fetched again.
   */
  private passBy(at: number): void {
    const before = [...this.late];
    this.late.clear();
    // Measured up to lookAt, not to now: a record that was not looked for since, for lack of room, is not late because
    // of that.
    for (const { delivery, record, waitsSince = at, lookAt } of this.items)
      if (!record && lookAt - waitsSince > this.settings.lateMs) this.late.add(delivery.kind);
    if (before.some((kind) => !this.late.has(kind))) {
      this.isDrained = false;
      this.fetchAnew();
    }
    if (this.late.size === 0) return;
    const kept = new Map<string, number>();
    this.items = this.items.filter((item) => {
      const { kind, event_id } = item.delivery;
      if (!this.isLate(item) || item.record || item.isBeingRendered) return true;
      kept.set(kind, (kept.get(kind) ?? 0) + 1);
      if (kept.get(kind)! <= this.settings.concurrency) return true;
      this.known.delete(event_id);
      return false;
    });
  }

  private isReady({ record, renderedAt }: Item, at: number): boolean {
    return record !== undefined && at - renderedAt <= this.settings.freshMs;
  }
}
