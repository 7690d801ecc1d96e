import { SystemClock } from '#kernel/clock';
import { Arrivals } from '../../promotion/arrivals';
import { Comparison } from '../../promotion/comparison';
import { ImportedRecords } from '../../promotion/imported-records';
import { PromotionGround } from '../../promotion/promotion-ground';
import type { Imports } from '../../testing/import-parts';
import { CheckedRows } from '../checked-rows';
import { Validation } from '../validation';

export function checkedRowsOf({ store, existing }: Imports): CheckedRows {
  const clock = new SystemClock();
  const imported = new ImportedRecords(store.writes);
  const ground = new PromotionGround(existing, store.writes, clock);
  const comparison = new Comparison(ground, new Arrivals(store.loader, imported), imported);
  return new CheckedRows(store.writes, existing, comparison, clock);
}

export function validationOf(imports: Imports): Validation {
  return new Validation(checkedRowsOf(imports));
}
