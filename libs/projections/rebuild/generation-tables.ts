import { setTimeout as delay } from 'node:timers/promises';
import type { ClientBase } from 'pg';
import { alone } from '#platform/database/alone';
import { CheckpointMoved, lockTracks } from '../checkpoints';
import { physicalTables } from '../derived-tables';
import type { Projection } from '../projection';

/** Version of a generation that is being dropped, so that no rebuild resumes it. */
export const ABANDONED = 0;

/** The maximum duration of a statement that reads (`statement_timeout`). */
const LONGEST_READ_MS = 10_000;
const POLL_MS = 20;

/**
 * More memory for index creation, and statistics from a smaller sample than usual: autovacuum takes a larger one later.
 */
const SETTINGS = `set maintenance_work_mem = '128MB'; set default_statistics_target = 30`;

/** Name of the table with one generation's rows. */
export function generationTable({ name }: { name: string }, generation: number): string {
  return `read_model.${name}_g${generation}`;
}

/** Creates the tables of a new generation, separate from those that serve reads, without indexes. */
export async function createTables(
  client: ClientBase,
  projection: Projection,
  generation: number,
): Promise<void> {
  for (const table of physicalTables(projection)) {
    // The check constraint allows the table to be attached without a scan.
    await client.query(
      `create table ${generationTable(table, generation)}
         (like read_model.${table.name} including all excluding indexes, check (generation = ${generation})) ${table.storage}`,
    );
    await client.query(
      `alter table ${generationTable(table, generation)} alter generation set default ${generation}`,
    );
    await copyColumnOptions(client, table, generation);
  }
}

/** Copies the columns' statistics options, which `like` leaves out. */
async function copyColumnOptions(
  client: ClientBase,
  table: { name: string },
  generation: number,
): Promise<void> {
  const { rows } = await client.query<{ name: string; options: string }>(
    `select quote_ident(attname) as name, array_to_string(attoptions, ', ') as options
     from pg_attribute where attrelid = $1::regclass and attoptions is not null and not attisdropped`,
    [`read_model.${table.name}`],
  );
  for (const { name, options } of rows)
    await client.query(`alter table ${generationTable(table, generation)} alter ${name} set (${options})`);
}

/**
 * Creates the read model's indexes, each in a transaction of its own, because an open transaction holds the feed back.
 * Indexes that exist already are kept. The sessions work in parallel.
 */
export async function createIndexes(
  sessions: readonly [ClientBase, ...ClientBase[]],
  projection: Projection,
  generation: number,
): Promise<void> {
  const [first] = sessions;
  for (const session of sessions) await session.query(SETTINGS);
  for (const table of physicalTables(projection)) {
    const own = generationTable(table, generation);
    if (!(await hasKey(first, own)))
      await alone(first, `alter table ${own} add ${await keyOf(first, table)}`);
    const statements = (await indexesOf(first, table, own)).values();
    const work = async (session: ClientBase) => {
      // All sessions share one iterator.
      for (const statement of statements) await session.query(statement);
    };
    await Promise.all(sessions.map(work));
    await takeStatistics(first, own);
  }
}

/**
 * Updates the statistics of a table. Without statistics, until autovacuum comes, a table that was filled at once is
 * planned as if it were empty: scanned completely for each row of another. An empty table is skipped, because it would
 * be planned as one that stays empty.
 */
export async function takeStatistics(client: ClientBase, own: string): Promise<void> {
  const { rows } = await client.query(`select from ${own} limit 1`);
  if (rows.length > 0) await client.query(`analyze ${own}`);
}

async function hasKey(client: ClientBase, own: string): Promise<boolean> {
  const { rows } = await client.query('select from pg_index where indrelid = $1::regclass and indisprimary', [
    own,
  ]);
  return rows.length > 0;
}

async function keyOf(client: ClientBase, { name }: { name: string }): Promise<string> {
  const { rows } = await client.query<{ key: string }>(
    `select pg_get_constraintdef(oid) as key from pg_constraint where conrelid = $1::regclass and contype = 'p'`,
    [`read_model.${name}`],
  );
  return rows[0].key;
}

/** Statements for all indexes except the key. */
async function indexesOf(client: ClientBase, { name }: { name: string }, own: string): Promise<string[]> {
  const { rows } = await client.query<{ definition: string; number: string }>(
    `select pg_get_indexdef(indexrelid) as definition, row_number() over (order by indexrelid) as number
     from pg_index where indrelid = $1::regclass and not indisprimary order by indexrelid`,
    [`read_model.${name}`],
  );
  return rows.map(
    ({ definition, number }) =>
      `create index if not exists ${own.split('.')[1]}_i${number}
         on ${own} ${definition.slice(definition.indexOf('USING '))}`,
  );
}

/**
 * Attaches the tables as partitions of those that serve reads; nobody reads their generation yet. A statement that was
 * planned before does not know the partitions, and would find no rows once they are live: so this waits for all
 * statements that are running.
 */
export async function attachTables(
  client: ClientBase,
  projection: Projection,
  generation: number,
): Promise<void> {
  for (const table of physicalTables(projection)) {
    if (await isAttached(client, table, generation)) continue;
    await alone(
      client,
      `alter table read_model.${table.name} attach partition ${generationTable(table, generation)}
         for values in (${generation})`,
    );
  }
  await readsUnderWay(client, projection);
}

async function readsUnderWay(client: ClientBase, projection: Projection): Promise<void> {
  const { rows } = await client.query<{ now: string }>('select clock_timestamp()::text as now');
  for (const end = performance.now() + LONGEST_READ_MS; performance.now() < end; await delay(POLL_MS)) {
    const { rows: running } = await client.query(
      `select from pg_stat_activity a
       where datname = current_database() and state = 'active' and xact_start < $1::timestamptz
         and pid <> pg_backend_pid()
         and exists (select from pg_locks l where l.pid = a.pid and l.relation = any($2::regclass[]))
       limit 1`,
      [rows[0].now, physicalTables(projection).map(({ name }) => `read_model.${name}`)],
    );
    if (running.length === 0) return;
  }
}

/**
 * Drops a generation that no read model uses any more, with all its metadata. It waits for readers that still use it,
 * and blocks none. If the process dies meanwhile, `sweep` does the rest.
 * @throws CheckpointMoved when the generation is live
 */
export async function dropGeneration(
  client: ClientBase,
  projection: Projection,
  generation: number,
): Promise<void> {
  await abandon(client, projection, generation);
  for (const table of physicalTables(projection)) {
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
    await alone(client, `drop table if exists ${own}`);
  }
  const forget = (from: string) =>
    client.query(`delete from read_model.${from} where projection = $1 and generation = $2`, [
      projection.name,
      generation,
    ]);
  await forget('checkpoints');
  await forget('generations');
}

/** Marks a generation as abandoned. No generation of the projection goes live until the transaction ends. */
async function abandon(client: ClientBase, { name }: Projection, generation: number): Promise<void> {
  await client.query('begin');
  await lockTracks(client, name);
  const { rowCount } = await client.query(
    `update read_model.generations set version = $3 where projection = $1 and generation = $2
       and generation not in (select generation from read_model.live where projection = $1)`,
    [name, generation, ABANDONED],
  );
  await client.query('commit');
  if (rowCount === 0) throw new CheckpointMoved(name);
}

async function isAttached(client: ClientBase, table: { name: string }, generation: number): Promise<boolean> {
  const { rows } = await client.query(
    'select from pg_inherits where inhrelid = to_regclass($1) and inhparent = $2::regclass',
    [generationTable(table, generation), `read_model.${table.name}`],
  );
  return rows.length > 0;
}
