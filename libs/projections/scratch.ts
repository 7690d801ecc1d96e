import { Injectable } from '@nestjs/common';
import type { Client } from 'pg';
import { History } from '#event-store/history';
import type { Position } from '#event-store/position';
import { WriteDatabase } from '#platform/database';
import { copyInto, rowsOf } from './generation-build';
import type { Projection, ReadTable } from './projection';

/** Name of a read table's copy in a session that has filled it. */
export function scratchTable({ name }: ReadTable): string {
  return `pg_temp.${name}`;
}

/** Builds a read model from the events for one session's eyes only; it is gone when the session ends. */
@Injectable()
export class Scratch {
  constructor(
    private readonly history: History,
    private readonly store: WriteDatabase,
  ) {}

  /**
   * @param client a session of the read database
   * @param tenants up to which event of each
   * @param asOf only what was recorded until then
   * @returns how many events were folded
   * @throws EventNotApplied
   */
  async fill(
    client: Client,
    projection: Projection,
    tenants: readonly { id: number; upTo: Position }[],
    asOf?: Date,
  ): Promise<number> {
    for (const table of projection.tables) {
      await client.query(
        `create temporary table ${table.name} (like read_model.${table.name} including defaults)`,
      );
    }
    const reader = await this.store.session();
    let events = 0;
    try {
      for await (const chunk of rowsOf(this.history, reader, projection, tenants, asOf)) {
        await copyInto(client, projection, scratchTable, 0, chunk.rows);
        events += chunk.events;
      }
    } finally {
      await reader.end();
    }
    for (const table of projection.tables)
      await client.query(`create unique index on ${scratchTable(table)} (${table.key.join(', ')})`);
    return events;
  }
}
