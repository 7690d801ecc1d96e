import { SystemClock } from '#kernel/clock';
import { Arrivals } from '../../arrivals/arrivals';
import { Comparison } from '../../arrivals/comparison';
import { ImportedRecords } from '../../arrivals/imported-records';
import { TenantGround } from '../../arrivals/tenant-ground';
import type { Imports } from '../../testing/import-parts';
import { CheckedRows } from '../checked-rows';
import { Validation } from '../validation';

export function checkedRowsOf({ store, existing }: Imports): CheckedRows {
  const clock = new SystemClock();
  const imported = new ImportedRecords(store.writes);
  const ground = new TenantGround(existing, store.writes, clock);
  const comparison = new Comparison(ground, new Arrivals(store.loader, imported), imported);
  return new CheckedRows(store.writes, existing, comparison, clock);
}

export function validationOf(imports: Imports): Validation {
  return new Validation(checkedRowsOf(imports));
}
