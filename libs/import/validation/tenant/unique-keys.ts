import type { Client } from 'pg';
import type { ReservedKey } from '#event-store/append/append-job';
import { checkedTable } from '../checked-names';
import { isUnchanged } from './edited-records';

/** A number, code or name that at most one record of the tenant has. */
interface UniqueKey {
  table: string;
  column: string;
  /** The kind of the event store's reservation. */
  reservation: string;
  /** SQL: the key that a row of the checked table reserves; null if it reserves none. */
  key(row: string): string;
  called: string;
}

const code = (table: string, reservation: string): UniqueKey => ({
  table,
  column: 'Code',
  reservation,
  called: 'Code',
  key: (row) => `${row}.code`,
});

export const uniqueKeys: readonly UniqueKey[] = [
  code('TaskType', 'task_type_code'),
  code('TaxCode', 'tax_code'),
  code('DisbursementCode', 'disbursement_code'),
  {
    table: 'Role',
    column: 'Name',
    reservation: 'role_name',
    called: 'Name',
    key: (row) => `(select k.key from role_keys k where k.name = ${row}.name)`,
  },
  {
    table: 'Client',
    column: 'ClientNumber',
    reservation: 'client_number',
    called: 'number',
    key: (row) => `${row}.client_number`,
  },
  {
    table: 'Matter',
    column: 'MatterNumber',
    reservation: 'matter_number',
    called: 'number',
    key: (row) => `${row}.matter_number`,
  },
  {
    table: 'Invoice',
    column: 'Number',
    reservation: 'invoice_number',
    called: 'number',
    key: (row) => `${row}.number`,
  },
];

/**
 * SQL: the rows `t` whose key another record of the tenant has reserved, with the reservation `r` and the settings `s`.
 */
export function takenBy({
  table,
  reservation,
  key,
}: Pick<UniqueKey, 'table' | 'reservation' | 'key'>): string {
  return `from ${checkedTable(table)} t cross join settings s
    join event_store.reservations r on r.tenant_id = s.tenant_id and r.kind = '${reservation}' and r.key = ${key('t')}
    left join record_ids own on own.table_name = '${table}' and own.import_id = t.import_id
    where own.id is distinct from r.stream_id`;
}

/** SQL: the record that has the key is that of a changed row with another key now. */
export function isGivenUp({ table, key }: UniqueKey): string {
  return `exists (
    select from record_ids h join ${checkedTable(table)} x on x.import_id = h.import_id
    where h.table_name = '${table}' and h.id = r.stream_id and ${key('x')} <> r.key and not ${isUnchanged(table, 'x')})`;
}

/** The keys that pass from one of the tenant's records to another when the rows arrive. */
export async function keysGivenUp(session: Client): Promise<ReservedKey[]> {
  const given: ReservedKey[] = [];
  for (const unique of uniqueKeys) {
    const { rows } = await session.query<ReservedKey>(
      `select r.kind, r.key, r.stream_id as stream ${takenBy(unique)} and ${isGivenUp(unique)}`,
    );
    given.push(...rows);
  }
  return given;
}
