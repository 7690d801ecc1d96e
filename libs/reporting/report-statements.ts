import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { CustomTypesConfig, PoolClient, QueryArrayResult } from 'pg';
import { ReadDatabase } from '#platform/database';
import type { Query } from './sql/items';

/** Of each connection. A prepared statement takes some 300 kB of the server's process. */
const MAXIMUM_PREPARED = 50;

/** Everything as PostgreSQL prints it: a row's values are read by their column's type. */
const printed: CustomTypesConfig = { getTypeParser: () => (value: unknown) => value };

/** Names of the statements that are prepared on a connection, by their text. */
type Prepared = LRUCache<string, string>;

/**
 * Sends the reports' queries. One whose plan serves all values is prepared on its connection: PostgreSQL took longer to
 * plan a page than to read it.
 */
@Injectable()
export class ReportStatements {
  private readonly prepared = new WeakMap<PoolClient, Prepared>();
  private named = 0;

  constructor(private readonly database: ReadDatabase) {}

  /** Rows as arrays of the texts that PostgreSQL prints. */
  async rows({ text, values, recurs }: Query): Promise<(string | null)[][]> {
    const client = await this.database.pool.connect();
    try {
      const name = recurs ? this.nameOf(text, client) : undefined;
      const config = { name, text, values, rowMode: 'array' as const, types: printed };
      const { rows }: QueryArrayResult<(string | null)[]> = await client.query(config);
      client.release();
      return rows;
    } catch (error) {
      client.release(error as Error);
      throw error;
    }
  }

  private nameOf(text: string, client: PoolClient): string {
    let prepared = this.prepared.get(client);
    if (!prepared) {
      prepared = preparedOn(client);
      this.prepared.set(client, prepared);
    }
    let name = prepared.get(text);
    if (!name) {
      name = `report-${++this.named}`; // never one that the connection has had
      prepared.set(text, name);
    }
    return name;
  }
}

function preparedOn(client: PoolClient): Prepared {
  const { parsedStatements } = client.connection as unknown as Parsing;
  return new LRUCache({
    max: MAXIMUM_PREPARED,
    dispose: (name) => {
      // Queued before the next query, which fails as well where this does.
      client.query(`deallocate "${name}"`).catch(() => undefined);
      delete parsedStatements[name];
    },
  });
}

/** The driver keeps the text of each statement that a connection ever had, by its name. */
interface Parsing {
  parsedStatements: Record<string, string>;
}
