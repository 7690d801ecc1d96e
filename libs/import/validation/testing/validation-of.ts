import { SystemClock } from '#kernel/clock';
import type { Imports } from '../../testing/import-parts';
import { CheckedRows } from '../checked-rows';
import { Validation } from '../validation';

export function checkedRowsOf({ store, existing }: Imports): CheckedRows {
  return new CheckedRows(store.writes, existing, new SystemClock());
}

export function validationOf(imports: Imports): Validation {
  return new Validation(checkedRowsOf(imports));
}
