import type { ClientBase } from 'pg';
import { tables } from '../schema/schema-1.0';
import type { Table } from '../schema/table';
import { endUses } from './taken-rows';

/** Of a table that is written once and analysed where it matters: autovacuum would only read it beside the import. */
export const ONCE = 'with (autovacuum_enabled = off)';

/**
 * Where the rows of an import lie between its extraction and its end: a schema of the write database of its own, with an
 * unlogged table for each of the source's. Every column is text, as it came; null is null.
 */
export class StagingArea {
  readonly schema: string;

  constructor(requestId: string) {
    this.schema = `import_${requestId.replaceAll('-', '')}`;
  }

  /** The table's name as SQL; its columns have the names of the source's. */
  table({ name }: Pick<Table, 'name'>): string {
    return `${this.schema}."${name}"`;
  }

  /** Empty; what was there of an earlier try is gone. */
  async create(client: ClientBase): Promise<void> {
    await this.drop(client);
    await client.query(`create schema ${this.schema}`);
    for (const one of tables) {
      const columns = one.columns.map(({ name }) => `"${name}" text`).join(', ');
      await client.query(`create unlogged table ${this.table(one)} (${columns}) ${ONCE}`);
    }
  }

  /** From then on its rows outlive a crash of the server. */
  async keep(client: ClientBase): Promise<void> {
    await endUses(client, this);
    for (const one of tables) await client.query(`alter table ${this.table(one)} set logged`);
  }

  async drop(client: ClientBase): Promise<void> {
    await endUses(client, this);
    await client.query(`drop schema if exists ${this.schema} cascade`);
  }
}
