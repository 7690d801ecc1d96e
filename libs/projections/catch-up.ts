import { Injectable } from '@nestjs/common';
import type { PoolClient } from 'pg';
import type { RecordedEvent } from '#event-store/events';
import { type Cursor, Feed, type FeedPage } from '#event-store/feed';
import { comparePositions, type Position, START } from '#event-store/position';
import { ReadDatabase } from '#platform/database';
import {
  type CheckpointMove,
  lockTracks,
  moveCheckpoints,
  moved,
  movesTo,
  raiseRevision,
} from './checkpoints';
import { EventNotApplied, isEventFault } from './event-not-applied';
import { liveModel, reachedIn, type Track } from './live-models';
import type { Projection } from './projection';

const BATCH = 1000;
/** So few events can be applied while other consumers wait. */
const FEW = 100;

/** Returns the position at which to stop, if that is not the end of the feed. */
type Limit = (database: Pick<PoolClient, 'query'>) => Promise<Position>;

/** Brings a track that the runner does not move up to the live tracks. */
@Injectable()
export class CatchUp {
  constructor(
    private readonly feed: Feed,
    private readonly database: ReadDatabase,
  ) {}

  /**
   * Applies the events that the track has missed. The last events and `complete` share one transaction, during which
   * the read model's own tracks stand still. The transaction raises the read model's revision, so that consumers reload
   * its tracks.
   * @param complete changes the tracks of the read model
   * @param limit returns the position at which to stop, if that is not the end of the feed
   * @throws EventNotApplied; events before that event are applied
   */
  async run(
    projection: Projection,
    track: Track,
    complete: (client: PoolClient) => Promise<void>,
    limit?: Limit,
  ): Promise<void> {
    const partitions = await this.feed.partitions();
    for (;;) {
      await this.approach(projection, track, limit);
      if (await this.completed(projection, track, partitions, complete, limit)) return;
    }
  }

  /**
   * Applies the events that the track has missed, except for the few that arrive meanwhile.
   * @param limit as for `run`
   * @throws EventNotApplied; events before that event are applied
   */
  async approach(projection: Projection, track: Track, limit?: Limit): Promise<void> {
    const partitions = await this.feed.partitions();
    let unread: FeedPage<RecordedEvent>;
    do {
      unread = await this.unread(track, partitions, await limit?.(this.database.pool));
      for (let from = 0; from < unread.events.length; from += BATCH)
        await this.applied(projection, track, unread.events.slice(from, from + BATCH));
    } while (unread.more || unread.events.length >= FEW);
  }

  /**
   * Resumes a tenant's track that stands still: applies the events that it has missed. The live read model then
   * continues with the tenant: on the main track if the generation is the same, otherwise on a track of its own.
   * @param partition the tenant's partition
   * @param lift removes, in the last transaction, the reason why the track stood still
   * @throws EventNotApplied; events before that event are applied
   * @throws CheckpointMoved when another process is working on the same track
   */
  async rejoin(
    projection: Projection,
    track: Track,
    partition: number,
    lift: (client: PoolClient) => Promise<void>,
  ): Promise<void> {
    const { main } = await liveModel(this.database.pool, projection.name);
    const joins = track.generation === main.generation;
    await this.run(
      projection,
      track,
      async (client) => {
        await lift(client);
        if (joins) await forgetCheckpoint(client, track);
      },
      // The track can join the main track only at the main track's position, not ahead of it.
      joins ? (database) => mainPosition(database, track, partition) : undefined,
    );
  }

  /** Returns false if too many events were left after all, or if an event failed that has to be identified. */
  private async completed(
    projection: Projection,
    track: Track,
    partitions: readonly number[],
    complete: (client: PoolClient) => Promise<void>,
    limit?: Limit,
  ): Promise<boolean> {
    let isApplied = false;
    try {
      return await this.standingStill(projection, async (client) => {
        const rest = await this.unread(track, partitions, await limit?.(client));
        if (rest.more) return false;
        await this.apply(client, projection, track, rest.events);
        isApplied = true;
        await complete(client);
        return true;
      });
    } catch (error) {
      if (!isApplied && isEventFault(error)) return false;
      throw error;
    }
  }

  private async unread(
    track: Track,
    partitions: readonly number[],
    upTo?: Position,
  ): Promise<FeedPage<RecordedEvent>> {
    const cursors: Cursor[] = [];
    for (const partition of partitions) {
      const after = reachedIn(track, partition);
      if (after) cursors.push({ partition, after });
    }
    const page = await this.feed.page(cursors, BATCH);
    if (!upTo) return page;
    const events = page.events.filter(({ at }) => comparePositions(at, upTo) <= 0);
    // A limit is given only for the track of one tenant, which has one partition: events after a later event are later
    // still.
    return { events, more: page.more && events.length === page.events.length };
  }

  /** Applies a batch; if it fails, applies it event by event. */
  private async applied(projection: Projection, track: Track, events: RecordedEvent[]): Promise<void> {
    try {
      moved(await this.database.transaction((client) => this.apply(client, projection, track, events)));
    } catch (error) {
      if (!isEventFault(error)) throw error;
      if (events.length === 1) throw new EventNotApplied(projection.name, events[0], error);
      for (const event of events) await this.applied(projection, track, [event]);
    }
  }

  private async apply(
    client: PoolClient,
    projection: Projection,
    track: Track,
    events: RecordedEvent[],
  ): Promise<CheckpointMove[]> {
    const moves = movesTo(track, null, events);
    if (moves.length > 0) await moveCheckpoints(client, moves);
    const relevant = events.filter(
      ({ tenantId, event }) =>
        (track.tenantId === 0 || track.tenantId === tenantId) && projection.eventTypes.has(event.type),
    );
    if (relevant.length > 0) await projection.apply(client, track.generation, relevant);
    return moves;
  }

  /** Runs work while nobody else moves or changes the read model's tracks. */
  private standingStill(
    { name }: Projection,
    work: (client: PoolClient) => Promise<boolean>,
  ): Promise<boolean> {
    return this.database.transaction(async (client) => {
      await lockTracks(client, name);
      const done = await work(client);
      if (done) await raiseRevision(client, name);
      return done;
    });
  }
}

async function mainPosition(
  database: Pick<PoolClient, 'query'>,
  { projection }: Track,
  partition: number,
): Promise<Position> {
  const { main } = await liveModel(database, projection);
  return reachedIn(main, partition) ?? START;
}

async function forgetCheckpoint(client: PoolClient, track: Track): Promise<void> {
  await client.query(
    'delete from read_model.checkpoints where projection = $1 and generation = $2 and tenant_id = $3',
    [track.projection, track.generation, track.tenantId],
  );
}
