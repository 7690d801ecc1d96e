import { Injectable } from '@nestjs/common';
import type { Client } from 'pg';
import { Feed } from '#event-store/feed';
import { History } from '#event-store/history';
import { type Position, START } from '#event-store/position';
import { WriteDatabase } from '#platform/database';
import { placeCheckpoint } from '../checkpoints';
import type { Projection } from '../projection';
import { derive } from './derive';
import { createTables, generationTable } from './generation-tables';
import { type Started, type Unfinished, unfinishedOf } from './generations';
import { lockHolds, refuseHeld } from './rebuild-lock';
import type { RebuildRun } from './rebuild-run';
import { copyInto, type Filled, rowsOf } from './stream-rows';

/** Creates and fills the tables of generations that are not live yet. */
@Injectable()
export class GenerationBuild {
  constructor(
    private readonly feed: Feed,
    private readonly history: History,
    private readonly store: WriteDatabase,
  ) {}

  /**
   * Creates empty tables of a new generation. They will show the events that the feed delivers at present.
   * @throws DomainError tenant_held
   */
  async begin(
    client: Client,
    { tenant, isRenewal }: RebuildRun,
    projection: Projection,
  ): Promise<Unfinished> {
    const heads = await this.feed.heads();
    const partitions = tenant ? [tenant.partition] : await this.feed.partitions();
    const tenantId = tenant?.id ?? 0;
    await client.query('begin');
    await lockHolds(client, projection.name);
    if (!isRenewal) await refuseHeld(client, projection.name, tenantId);
    const { rows } = await client.query<{ generation: number }>(
      `insert into read_model.generations (projection, generation, version, tenant_id, filled)
       select $1, coalesce(max(generation), 0) + 1, $2, $3, false from read_model.generations where projection = $1
       returning generation`,
      [projection.name, projection.version, tenantId],
    );
    const { generation } = rows[0];
    await createTables(client, projection, generation);
    const track = { projection: projection.name, generation, tenantId };
    for (const partition of partitions)
      await placeCheckpoint(client, track, partition, heads.get(partition) ?? START);
    await client.query('commit');
    return (await unfinishedOf(client, projection))!;
  }

  /**
   * Copies the rows of all streams up to the generations' first checkpoints, chunk by chunk. Each chunk's transaction
   * also records how far the generations are filled.
   * @param client a session of the read database
   * @param together generations of several projections that are filled equally far
   * @throws EventNotApplied
   */
  async fill(
    client: Client,
    together: readonly Started[],
    tenants: readonly { id: number; upTo: Position }[],
    progress: { counted?(total: number): void; copied(events: number): void },
  ): Promise<void> {
    const receivers = together.map(({ projection }) => ({ projection }));
    const { filledTenant, filledStream } = together[0].unfinished;
    const left = tenants
      .filter(({ id }) => filledTenant === null || id >= filledTenant)
      .sort((a, b) => a.id - b.id)
      .map(({ id, upTo }) => ({ id, upTo, after: (id === filledTenant && filledStream) || undefined }));
    const { counted } = progress;
    const reader = await this.store.session();
    let counter: Client | undefined;
    // One chunk is written while the next is folded.
    let writing = Promise.resolve();
    try {
      const types = receivers.flatMap(({ projection }) => [...projection.eventTypes]);
      counter = counted && (await this.store.session());
      const counting = counter && this.history.count(counter, tenants, types).then(counted);
      counting?.catch(() => undefined);
      for await (const chunk of rowsOf(this.history, reader, receivers, left)) {
        await writing;
        writing = this.write(client, together, chunk).then((events) => progress.copied(events));
        writing.catch(() => undefined);
      }
      await Promise.all([writing, counting]);
    } finally {
      await writing.catch(() => undefined);
      await Promise.all([reader.end(), counter?.end()]);
    }
    for (const started of together) await this.complete(client, started);
  }

  /** @returns the number of events in the chunk, counted once for each projection */
  private async write(
    client: Client,
    together: readonly Started[],
    { tenantId, streamId, shares }: Filled,
  ): Promise<number> {
    const generations = together.map(({ unfinished }) => unfinished.generation);
    const events = shares.map((share) => share.events);
    await client.query('begin');
    for (const [index, share] of shares.entries())
      await copyInto(client, share, (table) => generationTable(table, generations[index]));
    await client.query(
      `update read_model.generations g set filled_tenant = $1, filled_stream = $2, events = g.events + f.events
       from unnest($3::text[], $4::int[], $5::bigint[]) f(projection, generation, events)
       where g.projection = f.projection and g.generation = f.generation`,
      [tenantId, streamId, together.map(({ projection }) => projection.name), generations, events],
    );
    await client.query('commit');
    return events.reduce((sum, each) => sum + each, 0);
  }

  private async complete(client: Client, { projection, unfinished }: Started): Promise<void> {
    const { generation } = unfinished;
    await derive(client, projection, (name) => generationTable({ name }, generation));
    await client.query(
      'update read_model.generations set filled = true where projection = $1 and generation = $2',
      [projection.name, generation],
    );
  }
}
