import { Injectable } from '@nestjs/common';
import type { Client } from 'pg';
import { Feed } from '#event-store/feed';
import { History } from '#event-store/history';
import { type Position, START } from '#event-store/position';
import { WriteDatabase } from '#platform/database';
import { placeCheckpoint } from './checkpoints';
import { derive } from './derived-tables';
import { createTables, generationTable } from './generation-tables';
import type { Unfinished } from './generations';
import type { Projection, ReadTable } from './projection';
import { lockHolds, refuseHeld } from './rebuild-lock';
import type { RebuildRun } from './rebuild-run';
import { copyInto, type Filled, rowsOf, type Target } from './stream-rows';

/** Fills the tables of generations that are not live yet. */
@Injectable()
export class GenerationBuild {
  constructor(
    private readonly feed: Feed,
    private readonly history: History,
    private readonly store: WriteDatabase,
  ) {}

  /**
   * Empty tables of a new generation, which will show the events up to what the feed delivers now.
   * @throws DomainError tenant_held
   */
  async begin(client: Client, { projection, tenant, isRenewal }: RebuildRun): Promise<Unfinished> {
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
    const { version } = projection;
    return {
      generation,
      tenantId,
      version,
      filled: false,
      filledTenant: null,
      filledStream: null,
      events: 0,
    };
  }

  /**
   * Copies the rows of all streams up to the generation's first checkpoints, each chunk in a transaction that also says
   * how far it has come.
   * @param client a session of the read database
   * @throws EventNotApplied
   */
  async fill(
    client: Client,
    projection: Projection,
    unfinished: Unfinished,
    tenants: readonly { id: number; upTo: Position }[],
    progress: { counted?(total: number): void; copied(events: number): void },
  ): Promise<void> {
    const { generation, filledTenant, filledStream } = unfinished;
    const target = (table: ReadTable) => generationTable(table, generation);
    const left = tenants
      .filter(({ id }) => filledTenant === null || id >= filledTenant)
      .sort((a, b) => a.id - b.id)
      .map(({ id, upTo }) => ({ id, upTo, after: (id === filledTenant && filledStream) || undefined }));
    const [reader, counter] = await Promise.all([this.store.session(), this.store.session()]);
    const { counted } = progress;
    // One chunk is written while the next is folded.
    let writing = Promise.resolve();
    try {
      const counting = counted && this.history.count(counter, tenants, projection.eventTypes).then(counted);
      counting?.catch(() => undefined);
      for await (const chunk of rowsOf(this.history, reader, projection, left)) {
        await writing;
        writing = this.write(client, projection, target, generation, chunk).then(() =>
          progress.copied(chunk.events),
        );
        writing.catch(() => undefined);
      }
      await Promise.all([writing, counting]);
    } finally {
      await writing.catch(() => undefined);
      await Promise.all([reader.end(), counter.end()]);
    }
    await derive(client, projection, (name) => generationTable({ name }, generation));
    await client.query(
      'update read_model.generations set filled = true where projection = $1 and generation = $2',
      [projection.name, generation],
    );
  }

  private async write(
    client: Client,
    projection: Projection,
    target: Target,
    generation: number,
    { tenantId, streamId, events, rows }: Filled,
  ): Promise<void> {
    await client.query('begin');
    await copyInto(client, projection, target, rows);
    await client.query(
      `update read_model.generations
       set filled_tenant = $3, filled_stream = $4, events = events + $5 where projection = $1 and generation = $2`,
      [projection.name, generation, tenantId, streamId, events],
    );
    await client.query('commit');
  }
}
