import { costRecovery, invoice, invoiceLine, matter, payment, workItem } from './matter-tables';
import { client, employee, entity, supplier } from './people-tables';
import {
  applicableRate,
  disbursementCode,
  division,
  matterType,
  rateSet,
  rateSetEntry,
  role,
  taskType,
  taxCode,
  taxRate,
} from './reference-tables';
import { controlTotal, info } from './source-tables';
import type { Table } from './table';

export const SCHEMA_VERSION = '1.0';

/** The schema of the tables in the customer's database. */
export const SOURCE_SCHEMA = 'etl';

/** All tables; a table comes before those that refer to it. */
export const tables: readonly Table[] = [
  info,
  division,
  matterType,
  role,
  taskType,
  taxCode,
  taxRate,
  disbursementCode,
  entity,
  employee,
  client,
  supplier,
  rateSet,
  rateSetEntry,
  matter,
  applicableRate,
  workItem,
  costRecovery,
  invoice,
  invoiceLine,
  payment,
  controlTotal,
];
