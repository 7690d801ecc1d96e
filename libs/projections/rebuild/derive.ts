import type { ClientBase } from 'pg';
import { alone } from '#platform/database/alone';
import { derivations } from '../derived-tables';
import type { Projection } from '../projection';

/** About 16 MB of a table: some tens of thousands of rows, which take a fraction of a second. */
const PART_BLOCKS = 2_000;

/**
 * Replaces the contents of a generation's derived tables, computed from its rows.
 * @param partBlocks number of blocks of a table that are read at once
 */
export async function derive(
  client: ClientBase,
  projection: Projection,
  target: (table: string) => string,
  partBlocks = PART_BLOCKS,
): Promise<void> {
  const made = derivations(projection, target);
  for (const table of new Set(made.map(({ table }) => table)))
    await alone(client, `truncate ${target(table)}`);
  for (const { table, from, columns, select } of made) {
    const insert = `insert into ${target(table)} (${columns.join(', ')}) ${select}`;
    // A query of sums writes its first row only after reading, and a transaction holds the feed back only from then on.
    // A query that writes while it reads would hold it back all the time.
    if (from) await inParts(client, from, insert, partBlocks);
    else await client.query(insert);
  }
}

/**
 * @param statement a statement over `from r` without a condition, which is run for one part of the rows after the other
 */
async function inParts(client: ClientBase, from: string, statement: string, size: number): Promise<void> {
  const { rows } = await client.query<{ blocks: number }>(
    "select (pg_relation_size($1::regclass) / current_setting('block_size')::int)::int as blocks",
    [from],
  );
  for (let block = 0; block < rows[0].blocks; block += size) {
    await client.query(`${statement} where r.ctid >= $1::tid and r.ctid < $2::tid`, [
      `(${block},0)`,
      `(${block + size},0)`,
    ]);
  }
}
