import type { ClientBase } from 'pg';
import { tables } from '../schema/schema-1.0';
import { endUses } from './taken-rows';

/** SQL: storage parameters of a table that is written once and analysed explicitly. Autovacuum would only compete with the import. */
export const ONCE = 'with (autovacuum_enabled = off)';

/**
 * The rows of an import from its extraction to its end: a schema of its own in the write database, with an unlogged table for
 * each table of the source. Every column is text, as the driver returned it; an empty text is null.
 */
export class StagingArea {
  readonly schema: string;

  constructor(requestId: string) {
    this.schema = `import_${requestId.replaceAll('-', '')}`;
  }

  /** The qualified name of a staged table, as SQL. Its columns are named as in the source. */
  table(name: string): string {
    return `${this.schema}."${name}"`;
  }

  /** Creates the schema with empty tables, and drops what an earlier run has left. */
  async create(client: ClientBase): Promise<void> {
    await this.drop(client);
    await client.query(`create schema ${this.schema}`);
    for (const { name: table, columns } of tables) {
      const cells = columns.map(({ name }) => `"${name}" text`).join(', ');
      await client.query(`create unlogged table ${this.table(table)} (${cells}) ${ONCE}`);
    }
  }

  /** Makes the tables logged: from then on the rows survive a crash of the server. */
  async keep(client: ClientBase): Promise<void> {
    await endUses(client, this);
    for (const { name } of tables) await client.query(`alter table ${this.table(name)} set logged`);
  }

  async drop(client: ClientBase): Promise<void> {
    await endUses(client, this);
    await client.query(`drop schema if exists ${this.schema} cascade`);
  }
}
