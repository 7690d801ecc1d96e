import { Injectable, Logger } from '@nestjs/common';
import { EventBus, type Subscription } from '#event-bus/event-bus';
import type { RecordedEvent } from '#event-store/events';
import type { Cursor } from '#event-store/feed';
import { comparePositions, START } from '#event-store/position';
import { ReadDatabase } from '#platform/database';
import {
  type CheckpointMove,
  CheckpointMoved,
  type LiveGeneration,
  liveGenerations,
  moveCheckpoints,
} from './checkpoints';
import type { Projection } from './projection';

/** A projection's live generation and how far this process has brought it. */
interface Progress extends LiveGeneration {
  projection: Projection;
}

/** Keeps every read model up to date: rows and checkpoint in one transaction, a batch at a time. */
@Injectable()
export class ProjectionRunner {
  private readonly log = new Logger(ProjectionRunner.name);
  private progress: Progress[] = [];
  private subscription?: Subscription;

  constructor(
    private readonly bus: EventBus,
    private readonly database: ReadDatabase,
    private readonly projections: readonly Projection[],
  ) {}

  start(): void {
    this.subscription = this.bus.subscribe({
      name: 'projections',
      cursors: (partitions) => this.cursors(partitions),
      handle: (events) => this.handle(events),
    });
    this.log.log(`Building ${this.projections.map(({ name }) => name).join(', ')}`);
  }

  /** Lets go of the partitions, so that nothing moves while a projection is rebuilt. */
  async stop(): Promise<void> {
    await this.subscription?.stop();
    this.subscription = undefined;
  }

  /** Each partition from where the projection that is furthest behind stands. */
  private async cursors(partitions: number[]): Promise<Cursor[]> {
    const live = await liveGenerations(this.database.pool);
    this.progress = this.projections.map((projection) => {
      const known = live.get(projection.name);
      if (!known) throw new Error(`Projection ${projection.name} has no live generation`);
      return { projection, ...known };
    });
    return partitions.map((partition) => ({
      partition,
      after: this.progress
        .map(({ reached }) => reached.get(partition) ?? START)
        .reduce((a, b) => (comparePositions(a, b) <= 0 ? a : b)),
    }));
  }

  /** False when a checkpoint is not where this process believed; what the other projections did stands. */
  private async handle(events: RecordedEvent[]): Promise<boolean> {
    const idle: { progress: Progress; moves: CheckpointMove[] }[] = [];
    const busy: Promise<void>[] = [];
    for (const progress of this.progress) {
      const fresh = events.filter(
        ({ partition, at }) => comparePositions(at, progress.reached.get(partition) ?? START) > 0,
      );
      if (fresh.length === 0) continue;
      const moves = movesOf(progress, fresh);
      const relevant = fresh.filter(({ event }) => progress.projection.eventTypes.has(event.type));
      if (relevant.length === 0) idle.push({ progress, moves });
      else busy.push(this.apply(progress, relevant, moves));
    }
    if (idle.length > 0) {
      busy.push(
        moveCheckpoints(
          this.database.pool,
          idle.flatMap(({ moves }) => moves),
        ).then(() => {
          for (const { progress, moves } of idle) reach(progress, moves);
        }),
      );
    }
    const failures = (await Promise.allSettled(busy))
      .filter((result) => result.status === 'rejected')
      .map(({ reason }): unknown => reason);
    const broken = failures.find((failure) => !(failure instanceof CheckpointMoved));
    if (broken) throw broken;
    if (failures.length > 0) this.log.log(`${(failures[0] as CheckpointMoved).message}; going on from there`);
    return failures.length === 0;
  }

  private async apply(progress: Progress, events: RecordedEvent[], moves: CheckpointMove[]): Promise<void> {
    const client = await this.database.pool.connect();
    try {
      await client.query('begin');
      // First, so that a displaced consumer writes nothing, and the generation stays until the commit.
      await moveCheckpoints(client, moves);
      await progress.projection.apply(client, progress.generation, events);
      await client.query('commit');
      client.release();
      reach(progress, moves);
    } catch (error) {
      await client.query('rollback').then(
        () => client.release(),
        (broken: Error) => client.release(broken),
      );
      if (error instanceof CheckpointMoved) throw error;
      throw new Error(`Projection ${progress.projection.name}: ${(error as Error).message}`, {
        cause: error,
      });
    }
  }
}

/** To the last of the events in each partition. */
function movesOf({ projection, generation, reached }: Progress, events: RecordedEvent[]): CheckpointMove[] {
  const last = new Map(events.map(({ partition, at }) => [partition, at]));
  return [...last].map(([partition, to]) => ({
    projection: projection.name,
    generation,
    partition,
    from: reached.get(partition) ?? START,
    to,
  }));
}

function reach({ reached }: Progress, moves: CheckpointMove[]): void {
  for (const { partition, to } of moves) reached.set(partition, to);
}
