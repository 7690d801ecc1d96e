import { setImmediate as turn } from 'node:timers/promises';
import * as fc from 'fast-check';
import type { Cursor } from '#event-store/feed';
import { KafkaSource } from '../kafka/kafka-source';
import { type Message, RoughKafka } from './rough-kafka';

const PARTITIONS = 3;
/** Number of events of each partition that are read at once. */
export const LIMIT = 3;
/** Time after which the source reads the store. */
export const SILENCE_MS = 2_000;

const upTo = (max: number) => fc.integer({ min: 1, max });
const partition = fc.nat(PARTITIONS - 1);
const garbage = fc.constantFrom<Message>(
  { headers: {}, value: '' },
  { headers: { type: 'ParentOpened' }, value: '{}' },
  {
    headers: { type: 'Other', tenant: '1', stream: 'x', version: '1', at: '9.9.9', prev: '0.0.0' },
    value: '{}',
  },
);

/** The steps that may occur. Whatever their order, no event may be lost, duplicated or invented. */
const steps = {
  /** Events are written and published: in order, or each any number of times in any order, including older ones. */
  write: fc.record({
    partition,
    count: upTo(4),
    backwards: fc.option(fc.array(fc.nat(6), { maxLength: 8 }), { nil: undefined }),
  }),
  foreign: fc.record({ partition, message: garbage }),
  deliver: fc.record({ partition, count: upTo(6) }),
  /** An offset was reset, or never committed. */
  seek: fc.record({ partition, part: fc.double({ min: 0, max: 1, noNaN: true }) }),
  empty: fc.record({ partition }),
  rebalance: fc.record({ owned: fc.subarray([...Array(PARTITIONS).keys()]) }),
  /** A partition that another process owns makes progress. */
  elsewhere: fc.record({ partition, count: upTo(4) }),
  /** Messages arrive for a partition that was just lost. */
  late: fc.record({ partition, count: upTo(4) }),
  restore: fc.record({ losing: fc.tuple(fc.nat(3), fc.nat(3), fc.nat(3)), isNewEpoch: fc.boolean() }),
  read: fc.record({
    elapsed: fc.constantFrom<number>(0, 0, 500, SILENCE_MS),
    outcome: fc.constantFrom('handled', 'handled', 'handled', 'failed', 'displaced', 'interrupted'),
    part: fc.double({ min: 0, max: 1, noNaN: true }),
  }),
};
type Name = keyof typeof steps;
type Given<One extends Name> = (typeof steps)[One] extends fc.Arbitrary<infer Value> ? Value : never;

const weights: Record<Name, number> = {
  read: 6,
  deliver: 5,
  write: 4,
  foreign: 1,
  seek: 1,
  empty: 1,
  rebalance: 1,
  elsewhere: 1,
  late: 1,
  restore: 1,
};
/** One step of a trial: its name and its parameters. */
export const step = fc.oneof(
  ...Object.entries(weights).map(([name, weight]) => ({
    weight,
    arbitrary: fc.tuple(fc.constant(name as Name), steps[name as Name] as fc.Arbitrary<Given<Name>>),
  })),
);

interface Delivery {
  partition: number;
  ids: string[];
  /** Some event in it was not handled when it was delivered. */
  isNews: boolean;
  isResolved: boolean;
  answer?: boolean;
}

/** A consumer of one source, with its checkpoints. */
export class SourceTrial implements Record<Name, (given: never) => unknown> {
  readonly kafka = new RoughKafka(PARTITIONS);
  readonly source: KafkaSource;
  now = 1_000_000;
  private cursors: Cursor[] = [];
  /** Number of events of each partition that were handled by any process. */
  private readonly handled = Array<number>(PARTITIONS).fill(0);
  private deliveries: Delivery[] = [];

  constructor() {
    const calls = { wake: () => undefined, lost: () => this.forget() };
    this.source = new KafkaSource(this.kafka.transport, 'topic', 'group', 'trial', this.kafka.feed, calls);
    jest.spyOn(performance, 'now').mockImplementation(() => this.now);
  }

  write({ partition, count, backwards }: Given<'write'>): void {
    const { events } = this.kafka;
    const before = events[partition].length;
    this.kafka.append(partition, count);
    const { length } = events[partition];
    const inOrder = Array.from({ length: count }, (_, index) => before + index);
    this.kafka.publish(partition, backwards?.map((back) => Math.max(0, length - 1 - back)) ?? inOrder);
  }

  foreign({ partition, message }: Given<'foreign'>): void {
    this.kafka.logs[partition].push(message);
  }

  async deliver({ partition, count }: Given<'deliver'>): Promise<void> {
    const isTaken = this.deliveries.some((one) => one.partition === partition);
    if (isTaken || !this.source.partitions.includes(partition)) return;
    const messages = this.kafka.take(partition, count);
    if (messages.length === 0) return;
    const ids = messages.flatMap(({ value }) => (JSON.parse(value || '{}').id as string) ?? []);
    const delivery: Delivery = { partition, ids, isNews: false, isResolved: false };
    this.deliveries.push(delivery);
    void this.kafka.member.received({ partition, messages }).then((answer) => {
      Object.assign(delivery, { isResolved: true, answer });
    });
  }

  seek({ partition, part }: Given<'seek'>): void {
    this.kafka.offsets[partition] = Math.floor(part * this.kafka.logs[partition].length);
  }

  empty({ partition }: Given<'empty'>): void {
    this.kafka.logs[partition].length = 0;
    this.kafka.offsets[partition] = 0;
  }

  async rebalance({ owned }: Given<'rebalance'>): Promise<void> {
    this.kafka.member.assigned([]);
    this.kafka.member.assigned(owned);
    await turn();
    expect(this.deliveries.filter(({ isResolved }) => !isResolved)).toEqual([]);
    this.deliveries = [];
  }

  elsewhere({ partition, count }: Given<'elsewhere'>): void {
    if (this.source.partitions.includes(partition)) return;
    const { length } = this.kafka.events[partition];
    this.handled[partition] = Math.min(this.handled[partition] + count, length);
  }

  async late({ partition, count }: Given<'late'>): Promise<void> {
    if (this.source.partitions.includes(partition)) return;
    let isResolved = false;
    const messages = this.kafka.take(partition, count);
    void this.kafka.member.received({ partition, messages }).then(() => (isResolved = true));
    await turn();
    expect(isResolved).toBe(true);
  }

  /** Restores the store while the processes stand still. */
  async restore({ losing, isNewEpoch }: Given<'restore'>): Promise<void> {
    await this.rebalance({ owned: this.source.partitions });
    this.kafka.restore(losing, isNewEpoch);
    for (const [partition, { length }] of this.kafka.events.entries())
      this.handled[partition] = Math.min(this.handled[partition], length);
    this.forget();
  }

  /** @returns the number of events read */
  async read({ elapsed, outcome, part }: Given<'read'>): Promise<number> {
    this.now += elapsed;
    const { partitions: owned } = this.source;
    if (this.cursors.length === 0) this.cursors = owned.map((partition) => this.cursor(partition));
    if (this.cursors.length === 0) return 0;
    for (const one of this.deliveries) if (!this.isDone(one)) one.isNews = true;
    const done = this.deliveries.filter((one) => this.isDone(one));
    const reading = this.source.read(this.cursors, LIMIT);
    if (outcome === 'interrupted') await this.rebalance({ owned });
    const { events, more } = await reading;
    await turn();
    if (outcome === 'interrupted') return 0;
    expect(this.deliveries.filter(({ isResolved }) => isResolved)).toEqual(done);
    for (const { answer, isNews } of done) expect(answer).toBe(isNews);
    this.deliveries = this.deliveries.filter(({ isResolved }) => !isResolved);
    // A source that says `more` without events would be read again forever.
    if (events.length === 0) expect(more).toBe(false);

    for (const [partition, stored] of this.kafka.events.entries()) {
      const came = events.filter((event) => event.partition === partition);
      const from = this.handled[partition];
      const next = stored.slice(from, from + came.length);
      expect(came.map(({ eventId }) => eventId)).toEqual(next.map(({ row }) => row.event_id));
      if (came.length > 0) expect(owned).toContain(partition);
      expect(came.length).toBeLessThanOrEqual(LIMIT);
      if (outcome === 'handled') this.handled[partition] += came.length;
      if (outcome === 'displaced') this.handled[partition] = Math.floor(part * stored.length);
    }
    this.cursors = outcome === 'handled' ? owned.map((partition) => this.cursor(partition)) : [];
    return events.length;
  }

  /** Reads until the store has no more events. */
  async finish(): Promise<void> {
    await this.rebalance({ owned: [...Array(PARTITIONS).keys()] });
    while ((await this.read({ elapsed: SILENCE_MS, outcome: 'handled', part: 0 })) > 0);
    expect(this.handled).toEqual(this.kafka.events.map(({ length }) => length));
    for (let partition = 0; partition < PARTITIONS; partition++) await this.deliver({ partition, count: 99 });
    await this.read({ elapsed: 0, outcome: 'handled', part: 0 });
    expect(this.deliveries).toEqual([]);
  }

  /** Whether all events of the store that a delivery contains have been handled. */
  private isDone({ partition, ids }: Delivery): boolean {
    const left = this.kafka.events[partition].slice(this.handled[partition]);
    return left.every(({ row }) => !ids.includes(row.event_id));
  }

  private cursor(partition: number): Cursor {
    return { partition, after: this.kafka.positionAt(partition, this.handled[partition]) };
  }

  private forget(): void {
    this.cursors = [];
  }
}
