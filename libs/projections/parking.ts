import { Injectable, Logger } from '@nestjs/common';
import type { PoolClient } from 'pg';
import type { RecordedEvent } from '#event-store/events';
import { START } from '#event-store/position';
import { ReadDatabase } from '#platform/database';
import {
  CheckpointMoved,
  lockTracks,
  moveCheckpoints,
  movesTo,
  placeCheckpoint,
  raiseRevision,
} from './checkpoints';
import { EventNotApplied, isEventFault } from './event-not-applied';
import { reachedIn, type Track } from './live-models';
import type { Projection } from './projection';

/** A batch of the feed for one track. */
export interface TrackBatch {
  projection: Projection;
  track: Track;
  revision: number;
  events: readonly RecordedEvent[];
  /** The events that the projection applies. */
  relevant: readonly RecordedEvent[];
}

/** Parks tenants whose events cannot be applied, so that the read model continues without them. */
@Injectable()
export class Parking {
  private readonly log = new Logger(Parking.name);

  constructor(private readonly database: ReadDatabase) {}

  /**
   * Applies the batch tenant by tenant. A tenant whose events fail is parked after its last applied event; the others
   * continue.
   * @throws CheckpointMoved, and any error that the events did not cause
   */
  async isolate({ projection, track, revision, events, relevant }: TrackBatch): Promise<void> {
    const failures = await this.database.transaction(async (client) => {
      await claim(client, projection, revision);
      await moveCheckpoints(client, movesTo(track, null, events));
      const failed: EventNotApplied[] = [];
      for (const own of byTenant(relevant)) {
        const { applied, failure } = await applyTenant(client, projection, track.generation, own);
        if (!failure) continue;
        await park(client, projection, track, failure, applied);
        failed.push(failure);
      }
      return failed;
    });
    for (const { message } of failures)
      this.log.error(`${message}. The tenant is parked: projections retry ${projection.name}`);
  }
}

function byTenant(events: readonly RecordedEvent[]): RecordedEvent[][] {
  const tenants = new Map<number, RecordedEvent[]>();
  for (const event of events) {
    const own = tenants.get(event.tenantId);
    if (own) own.push(event);
    else tenants.set(event.tenantId, [event]);
  }
  return [...tenants.values()];
}

/**
 * Ensures that nobody else updates the read model until the transaction ends, and that all consumers reload its tracks
 * afterwards.
 */
async function claim(client: PoolClient, { name }: Projection, revision: number): Promise<void> {
  if ((await lockTracks(client, name)) !== revision) throw new CheckpointMoved(name);
  await raiseRevision(client, name);
}

/** Applies all of a tenant's events at once or, if that fails, as many as possible one by one. */
async function applyTenant(
  client: PoolClient,
  projection: Projection,
  generation: number,
  events: RecordedEvent[],
): Promise<{ applied?: RecordedEvent; failure?: EventNotApplied }> {
  if (!(await tried(client, () => projection.apply(client, generation, events)))) return {};
  let applied: RecordedEvent | undefined;
  for (const event of events) {
    const cause = await tried(client, () => projection.apply(client, generation, [event]));
    if (cause) return { applied, failure: new EventNotApplied(projection.name, event, cause) };
    applied = event;
  }
  return {};
}

/** Runs work in a savepoint. Returns the error if the events caused it; the savepoint is then rolled back. */
async function tried(client: PoolClient, work: () => Promise<void>): Promise<Error | undefined> {
  await client.query('savepoint events');
  try {
    await work();
  } catch (error) {
    if (!isEventFault(error)) throw error;
    await client.query('rollback to savepoint events');
    return error;
  }
  await client.query('release savepoint events');
  return undefined;
}

async function park(
  client: PoolClient,
  { name }: Projection,
  track: Track,
  failure: EventNotApplied,
  applied: RecordedEvent | undefined,
): Promise<void> {
  const { tenantId, partition } = failure.recorded;
  const at = applied?.at ?? reachedIn(track, partition) ?? START;
  await placeCheckpoint(client, { projection: name, generation: track.generation, tenantId }, partition, at);
  await recordParked(client, name, failure);
}

/** Records that a read model no longer follows a tenant, whose checkpoint remains where it is, and why. */
export async function recordParked(
  client: PoolClient,
  projection: string,
  { recorded, reason }: EventNotApplied,
): Promise<void> {
  await client.query(
    `insert into read_model.parked (projection, tenant_id, event_id, event_type, error)
     values ($1, $2, $3, $4, $5)
     on conflict (projection, tenant_id) do update set event_id = excluded.event_id,
       event_type = excluded.event_type, error = excluded.error, parked_at = now()`,
    [projection, recorded.tenantId, recorded.eventId, recorded.event.type, reason],
  );
}
