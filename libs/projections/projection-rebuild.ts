import type { PoolClient } from 'pg';
import { Feed } from '#event-store/feed';
import { type Position, START } from '#event-store/position';
import { DomainError } from '#kernel/errors';
import { ReadDatabase } from '#platform/database';
import { liveGenerations, moveCheckpoints } from './checkpoints';
import type { Projection } from './projection';

const BATCH = 1000;

export interface Rebuilt {
  name: string;
  generation: number;
  events: number;
  milliseconds: number;
}

/** Builds a read model again from the first event, in a generation of its own. */
export class ProjectionRebuild {
  constructor(
    private readonly feed: Feed,
    private readonly database: ReadDatabase,
    private readonly projections: readonly Projection[],
  ) {}

  /** Every read model with its live generation. */
  async list(): Promise<{ name: string; version: number; generation: number }[]> {
    const live = await liveGenerations(this.database.pool);
    return this.projections.map(({ name, version }) => ({
      name,
      version,
      generation: live.get(name)?.generation ?? 0,
    }));
  }

  /**
   * Fills a new generation, and flips to it in one transaction; readers see the old one until then. The projector
   * takes the new generation up where the rebuild has left it.
   * @throws DomainError unknown_projection, rebuild_running
   */
  async rebuild(name: string): Promise<Rebuilt> {
    const projection = this.projections.find((candidate) => candidate.name === name);
    if (!projection) {
      throw new DomainError(
        'invalid',
        'unknown_projection',
        `There is no projection ${name}; there are ${this.projections.map((known) => known.name).join(', ')}.`,
      );
    }
    const started = Date.now();
    const lock = await this.database.pool.connect();
    try {
      const { rows } = await lock.query<{ locked: boolean }>(
        `select pg_try_advisory_lock(hashtextextended('rebuild ' || $1, 0)) as locked`,
        [name],
      );
      if (!rows[0].locked)
        throw new DomainError('conflict', 'rebuild_running', `${name} is being rebuilt already.`);
      const generation = await this.begin(projection);
      const events = await this.fill(projection, generation);
      return { name, generation, events, milliseconds: Date.now() - started };
    } finally {
      // Ends the session, and with it the lock.
      lock.release(true);
    }
  }

  /** A new generation's empty partitions; what a rebuild that died has left is dropped. */
  private begin(projection: Projection): Promise<number> {
    return this.transaction(async (client) => {
      const { rows } = await client.query<{ generation: number }>(
        `select generation from read_model.generations g where projection = $1
           and not exists (select from read_model.live l where l.projection = g.projection and l.generation = g.generation)`,
        [projection.name],
      );
      for (const { generation } of rows) await this.dropGeneration(client, projection, generation);
      const next = await client.query<{ generation: number }>(
        `insert into read_model.generations (projection, generation, version)
         select $1, coalesce(max(generation), 0) + 1, $2 from read_model.generations where projection = $1
         returning generation`,
        [projection.name, projection.version],
      );
      const { generation } = next.rows[0];
      for (const table of projection.tables) {
        await client.query(
          `create table read_model.${table}_g${generation} partition of read_model.${table} for values in (${generation})`,
        );
      }
      return generation;
    });
  }

  private async fill(projection: Projection, generation: number): Promise<number> {
    const reached = new Map<number, Position>();
    let count = 0;
    for (const partition of await this.feed.partitions()) reached.set(partition, START);
    for (;;) {
      const cursors = [...reached].map(([partition, after]) => ({ partition, after }));
      const events = await this.feed.read(cursors, BATCH);
      if (events.length === 0 && (await this.flip(projection, generation))) return count;
      const moves = [...new Map(events.map(({ partition, at }) => [partition, at]))].map(
        ([partition, to]) => ({
          projection: projection.name,
          generation,
          partition,
          from: reached.get(partition) ?? START,
          to,
        }),
      );
      await this.transaction(async (client) => {
        const relevant = events.filter(({ event }) => projection.eventTypes.has(event.type));
        if (relevant.length > 0) await projection.apply(client, generation, relevant);
        if (moves.length > 0) await moveCheckpoints(client, moves);
      });
      for (const { partition, to } of moves) reached.set(partition, to);
      count += events.length;
    }
  }

  /** Makes the generation the live one, unless the old one has gone further in the meantime. */
  private flip(projection: Projection, generation: number): Promise<boolean> {
    return this.transaction(async (client) => {
      const old = await client.query<{ generation: number }>(
        'select generation from read_model.live where projection = $1 and tenant_id = 0 for update',
        [projection.name],
      );
      const behind = await client.query(
        `select from read_model.checkpoints o
         left join read_model.checkpoints n
           on n.projection = o.projection and n.partition = o.partition and n.generation = $2
         where o.projection = $1 and o.generation = $3
           and (n.projection is null or (o.epoch, o.transaction_id, o.position) > (n.epoch, n.transaction_id, n.position))`,
        [projection.name, generation, old.rows[0].generation],
      );
      if (behind.rows.length > 0) return false;
      await client.query('update read_model.live set generation = $2 where projection = $1', [
        projection.name,
        generation,
      ]);
      await this.dropGeneration(client, projection, old.rows[0].generation);
      return true;
    });
  }

  private async dropGeneration(
    client: PoolClient,
    projection: Projection,
    generation: number,
  ): Promise<void> {
    for (const table of projection.tables)
      await client.query(`drop table if exists read_model.${table}_g${generation}`);
    await client.query('delete from read_model.checkpoints where projection = $1 and generation = $2', [
      projection.name,
      generation,
    ]);
    await client.query('delete from read_model.generations where projection = $1 and generation = $2', [
      projection.name,
      generation,
    ]);
  }

  private async transaction<Result>(work: (client: PoolClient) => Promise<Result>): Promise<Result> {
    const client = await this.database.pool.connect();
    try {
      await client.query('begin');
      const result = await work(client);
      await client.query('commit');
      client.release();
      return result;
    } catch (error) {
      client.release(error as Error);
      throw error;
    }
  }
}
