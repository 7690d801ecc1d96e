import { newTenant, Tenant } from '#practice/tenants/tenant';
import type { Ground } from '../records/imported-record';
import { KnownRecords } from '../records/known-records';
import { Numbers } from '../records/numbers';
import { RecordIds } from '../records/record-id';
import type { Row } from '../records/row';
import { tables } from '../schema/schema-1.0';

export const TENANT = '0190a000-0000-7000-8000-000000000001';
export const SOURCE = 'Ledger';

/** The context of an import's rows, for a tenant in London that has given no numbers yet. */
export function groundFor(given: Partial<Ground> = {}): Ground {
  return {
    ids: new RecordIds(TENANT, SOURCE),
    sourceSystem: SOURCE,
    known: new KnownRecords(),
    settings: newTenant('Firm', 'uk').reduce(Tenant.evolve, undefined as never),
    numbers: new Numbers({}),
    today: '2026-04-01',
    keepsDefaultRates: false,
    ...given,
  };
}

/** A row of a table. Columns that are not given are null. */
export function rowOf(table: string, columns: Record<string, unknown>): Row {
  const { columns: all } = tables.find(({ name }) => name === table)!;
  const empty = Object.fromEntries(all.map(({ name }) => [name, null]));
  return { ...empty, ...columns } as Row;
}
