import { NIL } from 'uuid';
import type { PayloadMode } from '../../endpoints/endpoint';
import { type DeliveryRow, endpointKey, type Message } from '../../queue/delivery';
import type { RecordAsRead } from '../bodies/record-as-read';
import type { DeliverySettings } from '../delivery-settings';
import { mayBeUnderWay, type Standing } from './breaker';

/** An endpoint as its deliveries need it. */
export interface LaneConfig {
  tenant_id: number;
  webhook_id: string;
  alias: string;
  partition: number;
  /** Of the registration: an id that was removed may be registered again. */
  created_at: Date;
  url: string;
  payload_mode: PayloadMode;
  secret: string;
  former_secrets: { secret: string; until: string }[];
  /** Of the integration that vouches for it, within the scope of its token then; none once its grant is revoked. */
  permissions: string[];
  /** Where the tenant's last erasure stands, as printPosition has it: read models from before it are sent to nobody. */
  erased_at: string | null;
  /** Whether anything may be sent now. */
  active: boolean;
  /** When it was last disabled. */
  disabled_at: Date | null;
  failures: number;
  open_until: Date | null;
  failing_since: Date | null;
}

/** As it is fetched to be sent. */
export interface DueDelivery extends Message, Pick<DeliveryRow, 'request_id' | 'failures'> {
  /** As PostgreSQL writes it, to the microsecond. */
  due_at: string;
}

/** Before all that is due. */
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
  /** On performance.now: of the record, and when it is worth looking again for one that was not there yet. */
  renderedAt: number;
  lookAt: number;
  /** On performance.now: since when it is looked for. */
  waitsSince?: number;
}

/** Of a record, before one was read: a worker that has just begun, or died of what it had in hand, reads few at first. */
const MUCH = 64 * 1024;

/** The queue of one endpoint, which this worker alone serves while its lease lasts. */
export class Lane {
  /** In the order in which they are sent. */
  items: Item[] = [];
  /** Everything in hand: waiting, under way, or finished and not yet written down. */
  readonly known = new Set<string>();
  underWay = 0;
  /** The last that was fetched; the next are behind it. */
  fetchedTo = START;
  /** How often it was decided to fetch from the start. */
  restarts = 0;
  /** Nothing more was due when it was last looked. */
  isDrained = false;
  lastBusyAt = performance.now();
  /** Milliseconds that an attempt takes of late. */
  private pace = 5;
  /** A delivery could be begun if one were ready. */
  starves = false;
  /** Characters of records: those that it may have in hand, those of them that it has room for, those that it expects of one. */
  share: number;
  room: number;
  expected = MUCH;
  /** Kinds of records whose read model stands still: what is of others passes them by. */
  readonly late = new Set<string>();
  readonly key: string;
  standing: Standing;
  /** The standing differs from what is stored. */
  isChanged = false;

  constructor(
    private settings: DeliverySettings,
    public config: LaneConfig,
    /** On performance.now. */
    public leasedUntil: number,
  ) {
    this.key = endpointKey(config);
    this.share = this.room = settings.aheadChars;
    this.standing = standingOf(config);
  }

  /** How many more deliveries are wanted. */
  wanted(now: Date): number {
    if (this.isDrained || !this.config.active) return 0;
    const slots = mayBeUnderWay(this.standing, this.settings.concurrency, now);
    if (slots === 0) return 0;
    const ahead = Math.min(slots === 1 ? 1 : this.settings.ahead, this.ahead);
    // In halves, so that there is always something ready while more is fetched.
    const { length } = this.line;
    return length <= ahead / 2 ? ahead - length : 0;
  }

  /** An attempt has ended. */
  ended(milliseconds: number): void {
    this.underWay--;
    this.pace += (milliseconds - this.pace) / 8;
  }

  /** A record was read: one as large may come again. */
  took({ length, text }: RecordAsRead): void {
    if (length > 0) this.expected = Math.max(length, (this.expected * 7) / 8);
    this.room -= text?.length ?? 0;
  }

  add(delivery: DueDelivery): void {
    if (this.known.has(delivery.event_id)) return;
    this.known.add(delivery.event_id);
    this.items.push({ delivery, lane: this, isBeingRendered: false, renderedAt: 0, lookAt: 0 });
  }

  /** Those that need their record, as many as may be ready at once; at least one. */
  bare(at: number): Item[] {
    // What is too old to be sent is read anew when its turn comes: until then there may be no room for it.
    for (const item of this.items) if (!this.isReady(item, at)) item.record = undefined;
    this.passBy(at);
    this.room = this.share;
    let reading = 0;
    for (const { record, isBeingRendered } of this.items)
      if (record) this.room -= record.text?.length ?? 0;
      else if (isBeingRendered) reading += this.expected;
    let inHand = this.share - this.room + reading;
    const bare: Item[] = [];
    const inLine = this.line.slice(0, this.ahead);
    for (const item of this.late.size === 0 ? inLine : this.withLate(inLine)) {
      if (item.record || item.isBeingRendered || item.lookAt > at) continue;
      if (inHand > 0 && inHand + this.expected > this.share) break;
      bare.push(item);
      inHand += this.expected;
    }
    return bare;
  }

  /**
   * When to look again for what its read model did not have yet, on performance.now. What there is no room for is looked for
   * once something else is sent.
   */
  looksAgainAt(at: number): number {
    const looks = this.items
      .filter(({ record, isBeingRendered, lookAt }) => !record && !isBeingRendered && lookAt > 0)
      .map(({ lookAt }) => lookAt);
    if (looks.some((lookAt) => lookAt <= at) && this.bare(at).length > 0) return at;
    return Math.min(...looks.filter((lookAt) => lookAt > at));
  }

  /** Takes the next delivery that can be sent, if one may be. */
  next(now: Date, at: number): Item | undefined {
    if (!this.config.active || at > this.leasedUntil) return undefined;
    if (this.underWay >= mayBeUnderWay(this.standing, this.settings.concurrency, now)) return undefined;
    const index = this.items.findIndex((item) => this.isReady(item, at));
    this.starves = index < 0 && this.items.length > 0;
    if (index < 0) return undefined;
    const [item] = this.items.splice(index, 1);
    this.underWay++;
    this.lastBusyAt = at;
    return item;
  }

  /** Lets go of what was not begun: it is fetched again, as things stand then. */
  drop(): void {
    for (const { delivery } of this.items) this.known.delete(delivery.event_id);
    this.items = [];
    this.isDrained = false;
    this.fetchAnew();
  }

  /** For a read model, of some of its records at least. */
  get waits(): boolean {
    return this.late.size > 0;
  }

  get isAtStart(): boolean {
    return this.fetchedTo === START;
  }

  /** What was queued since may be due before what was fetched. */
  fetchAnew(): void {
    this.fetchedTo = START;
    this.restarts++;
  }

  /** Takes over how the endpoint is set now. */
  reconfigure(config: LaneConfig, leasedUntil: number): void {
    const isElsewhere = config.url !== this.config.url;
    const isOther = isElsewhere || config.payload_mode !== this.config.payload_mode;
    // Though it is enabled again: what was in hand has failed meanwhile.
    const wasDisabled = config.disabled_at?.getTime() !== this.config.disabled_at?.getTime();
    this.config = config;
    this.leasedUntil = leasedUntil;
    // How another address fared has no weight any more.
    if (isElsewhere) this.isChanged = false;
    if (!this.isChanged) this.standing = standingOf(config);
    if (isOther || wasDisabled || !config.active) this.drop();
  }

  /** So many as are begun while their bodies are fresh. */
  private get ahead(): number {
    const { concurrency, freshMs } = this.settings;
    return Math.max(concurrency, Math.floor((concurrency * freshMs) / 2 / Math.max(this.pace, 1)));
  }

  /** What is sent next, but for what is passed by. */
  private get line(): Item[] {
    return this.late.size === 0 ? this.items : this.items.filter((item) => !this.isLate(item));
  }

  /** One of each kind that is late first: what is sent next would take all the room for as long as there is a backlog. */
  private withLate(inLine: readonly Item[]): Iterable<Item> {
    const late = this.items.filter((item) => this.isLate(item));
    const ofEach = new Map(late.map((item) => [item.delivery.kind, item]));
    return new Set([...ofEach.values(), ...inLine, ...late]);
  }

  private isLate({ delivery }: Item): boolean {
    return this.late.has(delivery.kind);
  }

  /** Of each kind that is late some stay in hand, to be looked for; once they can be sent the others are fetched again. */
  private passBy(at: number): void {
    const before = [...this.late];
    this.late.clear();
    // By when it is looked for next: what has had no room since it was looked for does not wait for a read model.
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

function standingOf({ failures, open_until, failing_since }: LaneConfig): Standing {
  return { failures, openUntil: open_until, failingSince: failing_since };
}
