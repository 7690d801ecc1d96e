import { Injectable } from '@nestjs/common';
import type { Client } from 'pg';
import { History } from '#event-store/history';
import type { Position } from '#event-store/position';
import { WriteDatabase } from '#platform/database';
import type { Projection, ReadTable } from '../projection';
import { copyInto, rowsOf } from '../rebuild/stream-rows';

/** Name of the copy of a read table in a session that has filled it. */
export function scratchTable({ name }: ReadTable): string {
  return `pg_temp.${name}`;
}

/** All columns of a read table except `generation`, including those that the projection leaves to their defaults. */
export async function columnsOf(client: Client, { name }: ReadTable): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `select attname as name from pg_attribute
     where attrelid = $1::regclass and attnum > 0 and not attisdropped and attname <> 'generation'
     order by attnum`,
    [`read_model.${name}`],
  );
  return rows.map((row) => row.name);
}

/** Builds a read model from the events that only one session sees. It disappears when the session ends. */
@Injectable()
export class Scratch {
  constructor(
    private readonly history: History,
    private readonly store: WriteDatabase,
  ) {}

  /**
   * Fills copies of the read tables.
   * @param client a session of the read database
   * @param tenants the tenants, each with the position of the last event to read
   * @param asOf only events recorded up to this time
   * @returns the number of folded events
   * @throws EventNotApplied
   */
  async fill(
    client: Client,
    projection: Projection,
    tenants: readonly { id: number; upTo: Position }[],
    asOf?: Date,
  ): Promise<number> {
    // The index is created first: creating it at the end would hold the feed back for as long as that takes.
    for (const { name, key } of projection.tables) {
      await client.query(
        `create temporary table ${name}
           (like read_model.${name} including defaults, primary key (${key.join(', ')}))`,
      );
      await client.query(`alter table pg_temp.${name} alter generation drop not null`);
    }
    const reader = await this.store.session();
    let events = 0;
    try {
      // A snapshot contains either all or none of the events that one command wrote to several streams.
      await reader.query('begin isolation level repeatable read read only');
      for await (const chunk of rowsOf(this.history, reader, [{ projection }], tenants, asOf)) {
        const [share] = chunk.shares;
        await copyInto(client, share, scratchTable);
        events += share.events;
      }
    } finally {
      await reader.end();
    }
    return events;
  }
}
