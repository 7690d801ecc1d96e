import { SOURCE_SCHEMA } from '../schema/schema-1.0';
import type { Column, Table } from '../schema/table';

/** The statements that the importer sends to SQL Server. Names come only from the declaration, values are parameters. */

export const columnsStatement =
  'select TABLE_NAME as [table], COLUMN_NAME as [column], DATA_TYPE as [type] from INFORMATION_SCHEMA.COLUMNS where TABLE_SCHEMA = @schema';

export const versionStatement = `select top (2) convert(nvarchar(max), [SchemaVersion]) as [SchemaVersion] from [${SOURCE_SCHEMA}].[Info]`;

const KEY = '[ImportId] collate Latin1_General_BIN2';

export function countStatement({ name }: Pick<Table, 'name'>): string {
  return `select count_big(*) as [rows] from [${SOURCE_SCHEMA}].[${name}]`;
}

/** Selects a table's rows in the order of their keys; with `isResumed`, those from the key `@after` on. */
export function rowsStatement({ name }: Table, columns: readonly Column[], isResumed: boolean): string {
  const list = columns.map((column) => `${expression(column)} as [${column.name}]`).join(', ');
  const where = isResumed ? ` where ${KEY} >= @after` : '';
  return `select ${list} from [${SOURCE_SCHEMA}].[${name}]${where} order by ${KEY}`;
}

/** Selects a column as text, because the driver's own numbers and dates would lose digits. */
function expression({ name, type }: Column): string {
  switch (type) {
    case 'key':
    case 'reference':
    case 'text':
    case 'choice':
    case 'currency':
      return `[${name}]`;
    case 'boolean':
      return `convert(nvarchar(10), [${name}])`;
    case 'date':
    case 'instant':
      return `convert(nvarchar(40), [${name}], 126)`;
    default:
      return `convert(nvarchar(60), [${name}])`;
  }
}
