import type { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Injectable } from '@nestjs/common';
import type { Client } from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { END } from '#event-store/position';
import { type RegisteredTenant, Tenants } from '#platform/auth/tenants';
import { ReadDatabase } from '#platform/database';
import type { ReadTable } from '../projection';
import { Projections } from '../projections';
import { columnsOf, Scratch, scratchTable } from './scratch';

const FETCH = 1_000;
/** Columns with technical data that say nothing about the record. */
const INTERNAL = new Set(['tenant_id', 'search']);

export interface ExportOptions {
  /**
   * CSV with a header (RFC 4180, except that lines end in LF; an empty text is `""`, null is empty), or JSON Lines
   * (numbers with all their digits).
   */
  format: 'csv' | 'jsonl';
  /** Default: everything that was ever recorded. */
  asOf?: Date;
  /** Alias of a tenant; default: every tenant. */
  tenant?: string;
}

/** Exports read models as they were at an instant, built from the events. */
@Injectable()
export class ProjectionExport {
  constructor(
    private readonly projections: Projections,
    private readonly scratch: Scratch,
    private readonly tenants: Tenants,
    private readonly reads: ReadDatabase,
  ) {}

  /**
   * Writes the rows that result from the events recorded up to the instant, ordered by tenant and key, with instants in
   * UTC.
   * @param out is left open; it is destroyed when writing fails
   * @returns the number of rows
   * @throws DomainError unknown_projection, tenant_not_found
   */
  async write(name: string, options: ExportOptions, out: Writable): Promise<number> {
    const projection = this.projections.get(name);
    const tenants = await this.tenants.chosen(options.tenant);
    const client = await this.reads.session();
    try {
      await client.query(`set timezone = 'UTC'; set datestyle = 'ISO'`);
      // Includes events that the feed does not deliver yet: an open transaction holds them back, but acknowledged
      // writes count.
      const bounds = tenants.map(({ id }) => ({ id, upTo: END }));
      await this.scratch.fill(client, projection, bounds, options.asOf);
      await nameTenants(client, tenants);
      let rows = 0;
      for (const table of projection.tables) {
        const query = rowsOf(table, await columnsOf(client, table));
        rows += await (options.format === 'csv' ? writeCsv : writeJson)(client, query, out);
      }
      return rows;
    } finally {
      await client.end();
    }
  }
}

/** Creates a table of the tenants' aliases, because COPY takes no parameters. */
async function nameTenants(client: Client, tenants: readonly RegisteredTenant[]): Promise<void> {
  await client.query('create temporary table tenant_aliases (id integer primary key, alias text not null)');
  await client.query('insert into tenant_aliases select * from unnest($1::int[], $2::text[])', [
    tenants.map(({ id }) => id),
    tenants.map(({ alias }) => alias),
  ]);
}

function rowsOf(table: ReadTable, columns: readonly string[]): string {
  const told = columns.filter((name) => !INTERNAL.has(name));
  const key = table.key.slice(1);
  return `select a.alias as tenant, ${told.map((name) => `t.${name}`).join(', ')}
    from ${scratchTable(table)} t join pg_temp.tenant_aliases a on a.id = t.tenant_id
    order by a.alias collate "C", ${key.map((name) => `t.${name}`).join(', ')}`;
}

async function writeCsv(client: Client, rows: string, out: Writable): Promise<number> {
  const copy = client.query(copyTo(`copy (${rows}) to stdout (format csv, header)`));
  await pipeline(copy, out, { end: false });
  return copy.rowCount;
}

async function writeJson(client: Client, rows: string, out: Writable): Promise<number> {
  let total = 0;
  await pipeline(
    async function* () {
      await client.query('begin read only');
      await client.query(
        `declare lines no scroll cursor for select row_to_json(r)::text as line from (${rows}) r`,
      );
      for (let count = FETCH; count === FETCH; total += count) {
        const fetched = await client.query<{ line: string }>(`fetch ${FETCH} from lines`);
        count = fetched.rows.length;
        if (count > 0) yield fetched.rows.map(({ line }) => `${line}\n`).join('');
      }
      await client.query('commit');
    },
    out,
    { end: false },
  );
  return total;
}
