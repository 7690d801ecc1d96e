import { Injectable, Logger } from '@nestjs/common';
import { SpanKind } from '@opentelemetry/api';
import { EventBus, type Subscription } from '#event-bus/event-bus';
import type { RecordedEvent } from '#event-store/events';
import type { Cursor } from '#event-store/feed';
import { recordEventSpans } from '#event-store/feed/event-spans';
import { comparePositions, earliest, type Position } from '#event-store/position';
import { ReadDatabase } from '#platform/database';
import { type CheckpointMove, CheckpointMoved, moveCheckpoints, moved, movesTo } from './checkpoints';
import { isEventFault } from './event-not-applied';
import { FollowedStore } from './followed-store';
import { type LiveModel, liveModels, reachedIn, type Track, trackOf } from './live-models';
import { Parking, type TrackBatch } from './parking';
import type { Projection } from './projection';
import { Projections } from './projections';

/**
 * A batch concerns few of the read models. Moving the checkpoints of the others, one in each partition, costs as much
 * as writing the batch's rows: while batches follow each other, they are moved at this interval.
 */
const PASS_EVERY_MS = 25;

/** Rows and checkpoints can be rebuilt from the events, whose own commits wait for the disk. */
const UNFLUSHED = { flush: false };

/**
 * Interval for verifying the stored checkpoints. A crash of the read server may lose the last commits without the
 * source of the events noticing: the store is on another server, or events come from Kafka. Without this, the lost
 * changes would be missing until the partition's next event.
 */
const LOOK_EVERY_MS = 1_000;

/** A read model in the state that this process believes it to be in. */
interface Building {
  projection: Projection;
  model: LiveModel;
}

/** Keeps every read model up to date, batch by batch, with rows and checkpoint in one transaction. */
@Injectable()
export class ProjectionRunner {
  private readonly log = new Logger(ProjectionRunner.name);
  private building: Building[] = [];
  private subscription?: Subscription;
  /** By partition: the last event that was handed over since the cursors were read. */
  private readonly handed = new Map<number, Position>();
  /** Time on performance.now at which the tracks without events in a batch were last moved. */
  private passedAt = Number.NEGATIVE_INFINITY;
  /** The partitions for which the cursors were last read. */
  private partitions: number[] = [];
  /** Time on performance.now at which the stored checkpoints were last compared with this process's. */
  private lookedAt = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly bus: EventBus,
    private readonly database: ReadDatabase,
    private readonly parking: Parking,
    private readonly projections: Projections,
    private readonly followed: FollowedStore,
  ) {}

  start(): void {
    this.subscription = this.bus.subscribe({
      name: 'projections',
      cursors: (partitions) => this.cursors(partitions),
      handle: (events) => this.handle(events),
      settle: async () => (await this.outcome([this.pass()])) && this.isAsBelieved(),
      passesOver: () => this.held(),
    });
    this.log.log(`Building ${this.projections.all.map(({ name }) => name).join(', ')}`);
  }

  /** Releases the partitions, so that nothing moves any more. */
  async stop(): Promise<void> {
    await this.subscription?.stop();
    this.subscription = undefined;
  }

  /**
   * The cursor of each partition, at the track that is furthest behind; none if a newer program has built a read model.
   */
  private async cursors(partitions: number[]): Promise<Cursor[]> {
    this.handed.clear();
    this.partitions = partitions;
    this.lookedAt = performance.now();
    // Cursors are read again whenever the store was unavailable: a replica that lags behind may have replaced it.
    await this.followed.verify();
    const live = await liveModels(this.database.pool);
    this.building = this.projections.all.map((projection) => {
      const model = live.get(projection.name);
      if (!model) throw new Error(`Projection ${projection.name} has no live generation`);
      return { projection, model };
    });
    const newer = this.building.filter(({ projection, model }) => model.version > projection.version);
    if (newer.length > 0) {
      this.giveWay(newer);
      return [];
    }
    return partitions.map((partition) => ({
      partition,
      after: earliest(this.tracks().flatMap(({ track }) => reachedIn(track, partition) ?? [])),
    }));
  }

  /** Stops building: rows in this program's format would stay among those of the newer program forever. */
  private giveWay(newer: readonly Building[]): void {
    const names = newer.map(({ projection }) => projection.name).join(', ');
    this.log.error(
      `A newer program has built ${names}, so this one stops building read models: run the newer one instead, or ` +
        'rebuild them with this one and restart it',
    );
    this.stop().catch((error: Error) => this.log.warn(`Partitions were not released: ${error.message}`));
  }

  /**
   * Tenants that are held in every read model. A tenant that was released meanwhile does no harm: the read models have
   * other revisions then, so the batch is not committed.
   */
  private held(): number[] {
    const [first, ...others] = this.building.map(({ model }) => model.held.map(({ tenantId }) => tenantId));
    return (first ?? []).filter((tenantId) => others.every((held) => held.includes(tenantId)));
  }

  /**
   * Returns false when the read models differ from what this process believed. The parts of the batch that were applied
   * stay.
   */
  private handle(events: RecordedEvent[]): Promise<boolean> {
    for (const { partition, at } of events) this.handed.set(partition, at);
    const busy = this.tracks()
      .map(({ projection, model, track }) => batchOf(projection, model, track, events))
      .filter(({ relevant }) => relevant.length > 0);
    const work = busy.map((batch) => this.apply(batch));
    if (performance.now() - this.passedAt >= PASS_EVERY_MS)
      work.push(this.pass(new Set(busy.map(({ track }) => track))));
    return this.outcome(work);
  }

  /** All tracks that this process moves. */
  private tracks(): { projection: Projection; model: LiveModel; track: Track }[] {
    return this.building.flatMap(({ projection, model }) =>
      [model.main, ...model.alone].map((track) => ({ projection, model, track })),
    );
  }

  private async outcome(work: Promise<boolean>[]): Promise<boolean> {
    const results = await Promise.allSettled(work);
    const failures = results.flatMap((result) =>
      result.status === 'rejected' ? [result.reason as Error] : [],
    );
    const isDone = results.every((result) => result.status === 'fulfilled' && result.value);
    // Failed events must not be skipped, even if the cursors are not read again because the partitions were lost
    // meanwhile.
    if (!isDone) this.handed.clear();
    const broken = failures.find((failure) => !(failure instanceof CheckpointMoved));
    if (broken) throw broken;
    if (failures.length > 0) this.log.log(`${failures[0].message}; going on from there`);
    return isDone;
  }

  /** Moves the tracks that have no events in what was handed over, except for busy ones, which move with their rows. */
  private async pass(busy: ReadonlySet<Track> = new Set()): Promise<boolean> {
    const moves = this.tracks()
      .filter(({ track }) => !busy.has(track))
      .flatMap(({ model, track }) => this.moves(track, model.revision));
    this.passedAt = performance.now();
    if (moves.length === 0) return true;
    await moveCheckpoints(this.database.pool, moves, UNFLUSHED);
    moved(moves);
    return true;
  }

  /** Whether the tracks are where this process has moved them. Checked at intervals. */
  private async isAsBelieved(): Promise<boolean> {
    if (performance.now() - this.lookedAt < LOOK_EVERY_MS) return true;
    this.lookedAt = performance.now();
    const live = await liveModels(this.database.pool);
    const strange = this.building.find(
      ({ model }) => !isStanding(model, live.get(model.name)!, this.partitions),
    );
    if (strange)
      this.log.log(`The checkpoint of ${strange.model.name} is not where it was left; going on from there`);
    return !strange;
  }

  /** The moves of a track to the last events that were handed over. */
  private moves(track: Track, revision: number): CheckpointMove[] {
    const ahead = [...this.handed].flatMap(([partition, at]) =>
      isAhead(at, track, partition) ? { partition, at } : [],
    );
    return movesTo(track, revision, ahead);
  }

  /** Applies a batch to its track. Returns false when tenants had to be parked. */
  private async apply(batch: TrackBatch): Promise<boolean> {
    const { projection, track, revision, relevant } = batch;
    const moves = this.moves(track, revision);
    const startedAt = Date.now();
    try {
      await this.database.transaction(async (client) => {
        // This comes first, so that a displaced consumer writes nothing, and the tracks do not change until the commit.
        await moveCheckpoints(client, moves, UNFLUSHED);
        await projection.apply(client, track.generation, [...relevant]);
      });
    } catch (error) {
      if (error instanceof CheckpointMoved) throw error;
      if (isEventFault(error)) {
        await this.parking.isolate(batch);
        return false;
      }
      throw new Error(`Projection ${projection.name}: ${(error as Error).message}`, { cause: error });
    }
    moved(moves);
    const name = () => `project ${projection.name}`;
    recordEventSpans(relevant, { name, kind: SpanKind.CONSUMER, startedAt });
    return true;
  }
}

/** Whether a position is ahead of the track in a partition that the track has. */
function isAhead(at: Position, track: Track, partition: number): boolean {
  const reached = reachedIn(track, partition);
  return reached !== undefined && comparePositions(at, reached) > 0;
}

/**
 * Whether no track of a read model has moved back in the partitions. With another revision the tracks are different
 * ones.
 */
function isStanding(model: LiveModel, now: LiveModel, partitions: readonly number[]): boolean {
  if (now.revision !== model.revision) return false;
  return [model.main, ...model.alone].every((track) =>
    partitions.every((partition) => {
      const at = reachedIn(track, partition);
      return !at || !isAhead(at, trackOf(now, track.tenantId), partition);
    }),
  );
}

/** The part of a batch that concerns a track. */
function batchOf(
  projection: Projection,
  model: LiveModel,
  track: Track,
  batch: readonly RecordedEvent[],
): TrackBatch {
  const serves = (tenantId: number) =>
    track.tenantId === 0 ? !model.apart.has(tenantId) : track.tenantId === tenantId;
  const events = batch.filter(({ partition, at }) => isAhead(at, track, partition));
  const relevant = events.filter(
    ({ tenantId, event }) => projection.eventTypes.has(event.type) && serves(tenantId),
  );
  return { projection, track, revision: model.revision, events, relevant };
}
