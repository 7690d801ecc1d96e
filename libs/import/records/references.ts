import type { ClientBase } from 'pg';
import { type DomainError, invalid } from '#kernel/errors';
import type { Id, Kind } from '#kernel/ids';
import { tables } from '../schema/schema-1.0';
import type { Column } from '../schema/table';
import type { StagingArea } from '../staging/staging-area';
import { isImported, isRecordId, type RecordIds } from './record-id';

/**
 * The ids of the tenant's records to which an import refers, and of the tax codes by which its invoices are taxed.
 * @param refused called when a row would change such a record. Default: throws the error
 * @throws DomainError `part_of_existing` (422), by default
 */
export async function referredRecords(
  client: ClientBase,
  staging: StagingArea,
  refused: (error: DomainError) => void = (error) => {
    throw error;
  },
): Promise<Id[]> {
  const found = new Set<Id>();
  const { rows } = await client.query<{ id: Id }>(
    `select distinct tax_code as id from ${staging.schema}.counted_by where tax_code is not null`,
  );
  for (const { id } of rows) found.add(id);
  for (const { name, columns } of tables) {
    const references = columns.filter(({ refersTo }) => refersTo);
    const ofRows = references.filter(({ isOfRow }) => isOfRow).map((column) => column.name);
    for (const { column, id } of await idsIn(client, staging, name, references)) {
      if (!isRecordId(id)) continue;
      if (ofRows.includes(column))
        refused(
          invalid(
            'part_of_existing',
            `${name}.${column}: ${id} is a record of the tenant, which an import does not change.`,
          ),
        );
      found.add(id);
    }
  }
  return [...found];
}

async function idsIn(
  client: ClientBase,
  staging: StagingArea,
  table: string,
  columns: readonly Column[],
): Promise<{ column: string; id: string }[]> {
  if (columns.length === 0) return [];
  const values = columns.map(({ name }) => `('${name}', t."${name}")`).join(', ');
  const { rows } = await client.query<{ column: string; id: string }>(
    `select distinct r."column", r.id from ${staging.table(table)} t
     cross join lateral (values ${values}) r("column", id)
     where r.id ~ '^[a-z]+_[0-9a-f]{32}$'`,
  );
  return rows;
}

/**
 * Tells the import's own records from other records of the tenant. An earlier import may have brought the same ones.
 */
export class OwnRecords {
  private readonly known = new Map<Kind, Set<string>>();

  constructor(
    private readonly client: ClientBase,
    private readonly staging: StagingArea,
    private readonly ids: RecordIds,
  ) {}

  async has(id: Id, kind: Kind): Promise<boolean> {
    if (!isImported(id)) return false;
    let own = this.known.get(kind);
    if (!own) this.known.set(kind, (own = await this.load(kind)));
    return own.has(id);
  }

  private async load(kind: Kind): Promise<Set<string>> {
    const table = tables.find((one) => one.kind === kind);
    if (!table) return new Set();
    const { rows } = await this.client.query<{ key: string }>(
      `select t."ImportId" as key from ${this.staging.table(table.name)} t`,
    );
    return new Set(rows.map(({ key }) => this.ids.of(table.name, key)));
  }
}
