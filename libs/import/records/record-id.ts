import { parse, v5 } from 'uuid';
import { type Id, type Kind, kindOf, toId } from '#kernel/ids';
import { tables } from '../schema/schema-1.0';

const kinds = new Map(tables.flatMap(({ name, kind }) => (kind ? [[name, kind]] : [])));
const ofKinds: ReadonlySet<string> = new Set(kinds.values());

/** The number of ids per table that are remembered, because many rows refer to the same records. */
const REMEMBERED = 50_000;

/**
 * The id of the record that a row becomes. It is the same in every import, in the staging tenant and in production.
 * @param tenant UUID of the production tenant's stream
 * @param table a table whose rows become records
 */
export function recordId(tenant: string, sourceSystem: string, table: string, importId: string): Id {
  return new RecordIds(tenant, sourceSystem).of(table, importId);
}

/** The kind of the records that a table's rows become. */
export function kindOfTable(table: string): Kind {
  const kind = kinds.get(table);
  if (!kind) throw new Error(`The rows of ${table} become no records`);
  return kind;
}

/** Whether a reference names a record of the tenant rather than a row: `<kind>_<32 hex>`. */
export function isRecordId(reference: string): reference is Id {
  const kind = kindOf(reference);
  return kind !== undefined && ofKinds.has(kind);
}

/** Whether an import has created the record: import ids are UUIDs of version 5, while commands give version 7. */
export function isImported(id: string): boolean {
  return id[id.indexOf('_') + 13] === '5';
}

/** The ids of one import's records: UUIDv5 (RFC 9562) of the tenant, the source system, the table and the row's key. */
export class RecordIds {
  private readonly namespace: Uint8Array;
  private readonly remembered = new Map<string, Map<string, Id>>();

  /** @param tenant UUID of the production tenant's stream */
  constructor(
    tenant: string,
    private readonly sourceSystem: string,
  ) {
    this.namespace = parse(tenant);
  }

  of(table: string, importId: string): Id {
    const name = JSON.stringify([this.sourceSystem, table, importId]);
    return toId(kindOfTable(table), v5(Buffer.from(name), this.namespace));
  }

  /** The id to which a reference column refers: that of a row of the table, or of a record of the tenant. */
  to(table: string, reference: string): Id {
    if (isRecordId(reference)) return reference;
    let known = this.remembered.get(table);
    if (!known) this.remembered.set(table, (known = new Map()));
    let id = known.get(reference);
    if (!id) {
      if (known.size >= REMEMBERED) known.clear();
      known.set(reference, (id = this.of(table, reference)));
    }
    return id;
  }

  /** As `to`, for a reference that may be empty. */
  maybeTo(table: string, reference: string | null): Id | null {
    return reference === null ? null : this.to(table, reference);
  }
}
