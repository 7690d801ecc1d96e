import type { ClientBase } from 'pg';
import type { Projection, ReadTable } from './projection';

/** Index work that may take long must not wait for memory that a session has by default. */
const INDEX_MEMORY = '128MB';

/** Name of the table that holds one generation's rows. */
export function generationTable({ name }: ReadTable, generation: number): string {
  return `read_model.${name}_g${generation}`;
}

/** Tables of a new generation, apart from those that answer reads, without indexes. */
export async function createTables(
  client: ClientBase,
  { tables }: Projection,
  generation: number,
): Promise<void> {
  for (const table of tables) {
    // The check lets the table be attached without a scan.
    await client.query(
      `create table ${generationTable(table, generation)}
         (like read_model.${table.name} including all excluding indexes, check (generation = ${generation}))`,
    );
  }
}

/**
 * The indexes that the read model has, each in a transaction of its own, because an open one holds the feed back;
 * those that are there already stay.
 */
export async function createIndexes(
  client: ClientBase,
  { tables }: Projection,
  generation: number,
): Promise<void> {
  await client.query(`set maintenance_work_mem = '${INDEX_MEMORY}'`);
  for (const table of tables) {
    const own = generationTable(table, generation);
    for (const statement of await missingIndexes(client, table, own)) await client.query(statement);
    await client.query(`analyze ${own}`);
  }
}

async function missingIndexes(client: ClientBase, { name }: ReadTable, own: string): Promise<string[]> {
  const { rows } = await client.query<{ definition: string; constraint: string | null; number: string }>(
    `select pg_get_indexdef(i.indexrelid) as definition, pg_get_constraintdef(c.oid) as constraint,
       row_number() over (order by i.indexrelid) as number
     from pg_index i left join pg_constraint c on c.conindid = i.indexrelid and c.conrelid = i.indrelid
     where i.indrelid = $1::regclass
     order by i.indexrelid`,
    [`read_model.${name}`],
  );
  const { rows: keyed } = await client.query(
    'select from pg_index where indrelid = $1::regclass and indisprimary',
    [own],
  );
  return rows
    .filter(({ constraint }) => !constraint || keyed.length === 0)
    .map(({ definition, constraint, number }) =>
      constraint
        ? `alter table ${own} add ${constraint}`
        : `create index if not exists ${own.split('.')[1]}_i${number}
             on ${own} ${definition.slice(definition.indexOf('USING '))}`,
    );
}

/** Makes the tables partitions of those that are read; nobody reads their generation yet. */
export async function attachTables(
  client: ClientBase,
  { tables }: Projection,
  generation: number,
): Promise<void> {
  for (const table of tables) {
    if (await isAttached(client, table, generation)) continue;
    await client.query(
      `alter table read_model.${table.name} attach partition ${generationTable(table, generation)}
         for values in (${generation})`,
    );
  }
}

/**
 * Drops a generation that no read model uses any more, and all that is known of it. Readers that still look at it are
 * waited for; none is held up.
 */
export async function dropGeneration(
  client: ClientBase,
  projection: Projection,
  generation: number,
): Promise<void> {
  for (const table of projection.tables) {
    const own = generationTable(table, generation);
    if (await isAttached(client, table, generation)) {
      const { rows } = await client.query<{ pending: boolean }>(
        'select inhdetachpending as pending from pg_inherits where inhrelid = $1::regclass',
        [own],
      );
      await client.query(
        `alter table read_model.${table.name} detach partition ${own} ${rows[0].pending ? 'finalize' : 'concurrently'}`,
      );
    }
    await client.query(`drop table if exists ${own}`);
  }
  const forget = (from: string) =>
    client.query(`delete from read_model.${from} where projection = $1 and generation = $2`, [
      projection.name,
      generation,
    ]);
  await forget('checkpoints');
  await forget('generations');
}

async function isAttached(client: ClientBase, table: ReadTable, generation: number): Promise<boolean> {
  const { rows } = await client.query(
    'select from pg_inherits where inhrelid = to_regclass($1) and inhparent = $2::regclass',
    [generationTable(table, generation), `read_model.${table.name}`],
  );
  return rows.length > 0;
}
