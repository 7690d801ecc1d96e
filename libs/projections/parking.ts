import { Injectable, Logger } from '@nestjs/common';
import type { PoolClient } from 'pg';
import type { RecordedEvent } from '#event-store/events';
import { START } from '#event-store/position';
import { ReadDatabase } from '#platform/database';
import { CheckpointMoved, moveCheckpoints, movesTo } from './checkpoints';
import { EventNotApplied, isEventFault } from './event-not-applied';
import { reachedIn, type Track } from './live-models';
import type { Projection } from './projection';

/** Events of the feed for one track. */
export interface TrackBatch {
  projection: Projection;
  track: Track;
  revision: number;
  events: readonly RecordedEvent[];
  /** Those that the projection applies. */
  relevant: readonly RecordedEvent[];
}

/** Takes tenants whose events cannot be applied out of a read model's way. */
@Injectable()
export class Parking {
  private readonly log = new Logger(Parking.name);

  constructor(private readonly database: ReadDatabase) {}

  /**
   * Applies the batch tenant by tenant. One whose events fail is parked behind the last that could be applied; the
   * others go on.
   * @throws CheckpointMoved, and whatever is not the events' fault
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

/** Nobody else builds the read model until the transaction ends, and everybody looks again afterwards. */
async function claim(client: PoolClient, { name }: Projection, revision: number): Promise<void> {
  const { rowCount } = await client.query(
    `select from read_model.live where projection = $1 and tenant_id = 0 and revision = $2 for update`,
    [name, revision],
  );
  if (rowCount === 0) throw new CheckpointMoved(name);
  await client.query(
    'update read_model.live set revision = revision + 1 where projection = $1 and tenant_id = 0',
    [name],
  );
}

/** All of a tenant's events at once or, when that fails, as many as can be applied. */
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

/** What went wrong because of the events; nothing is left of it in the transaction. */
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
  { recorded, reason }: EventNotApplied,
  applied: RecordedEvent | undefined,
): Promise<void> {
  const { tenantId, partition, eventId, event } = recorded;
  const { epoch, transactionId, position } = applied?.at ?? reachedIn(track, partition) ?? START;
  await client.query(
    `insert into read_model.checkpoints
       (projection, generation, tenant_id, partition, epoch, transaction_id, position)
     values ($1, $2, $3, $4, $5, $6::xid8, $7)
     on conflict (projection, generation, partition, tenant_id) do update
       set epoch = excluded.epoch, transaction_id = excluded.transaction_id, position = excluded.position`,
    [name, track.generation, tenantId, partition, epoch, transactionId.toString(), position.toString()],
  );
  await client.query(
    `insert into read_model.parked (projection, tenant_id, event_id, event_type, error) values ($1, $2, $3, $4, $5)`,
    [name, tenantId, eventId, event.type, reason],
  );
}
