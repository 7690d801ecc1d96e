import { type ClientBase, escapeIdentifier } from 'pg';
import { tables } from '#import/schema/schema-1.0';
import { sqlTypeOf } from '#import/schema/t-sql';
import type { Faults } from './faults';
import type { Expression } from './select';
import type { ColumnKind } from './tokens';

const declared = new Map(
  tables.flatMap(({ name, columns }) =>
    columns.map((one) => [`${name}.${one.name}`, sqlTypeOf(one)] as const),
  ),
);

/** The types of SQL Server for those of PostgreSQL. All others are text. */
const types = new Map([
  ['numeric', 'decimal'],
  ['int8', 'bigint'],
  ['int4', 'int'],
  ['bool', 'bit'],
  ['date', 'date'],
  ['timestamp', 'datetime2'],
]);

/** A column of the source, as SQL Server would have it. */
export class SourceColumn {
  /** Name of SQL Server's type, without its length. */
  readonly type: string;
  private readonly length: number | 'max';

  /** @param length characters of PostgreSQL's type; null when it has no length */
  constructor(
    readonly table: string,
    readonly name: string,
    postgresType: string,
    length: number | null,
  ) {
    const [, textType, characters] =
      /^(n(?:var)?char)\((\d+)\)/.exec(declared.get(`${table}.${name}`) ?? '') ?? [];
    this.type = types.get(postgresType) ?? (postgresType === 'bpchar' ? 'nchar' : (textType ?? 'nvarchar'));
    const most = length ?? (characters === undefined ? 'max' : Number(characters));
    this.length = most !== 'max' && most > 4000 ? 'max' : most;
  }

  kind({ length }: Expression): ColumnKind {
    if (length !== undefined) return { text: length === 'max' || length > 4000 ? 'max' : length };
    if (this.type === 'int' || this.type === 'bigint') return this.type;
    return this.type.startsWith('n') ? { text: this.length, isFixed: this.type === 'nchar' } : { text: 60 };
  }

  /** PostgreSQL's expression for the value that SQL Server would return. */
  rendered({ length, isIso }: Expression): string {
    const column = escapeIdentifier(this.name);
    switch (this.type) {
      case 'bit':
        return `${column}::int::text`;
      case 'date':
        return `to_char(${column}, 'YYYY-MM-DD')`;
      case 'datetime2':
        return isIso ? isoInstant(column) : `to_char(${column}, 'YYYY-MM-DD HH24:MI:SS.US"0"')`;
      case 'decimal':
      case 'int':
      case 'bigint':
        return `${column}::text`;
      default:
        return typeof length === 'number' ? `left(${column}, ${length})` : column;
    }
  }
}

/** Seven decimals of a second, or none for a whole second. */
function isoInstant(column: string): string {
  const whole = `to_char(${column}, 'YYYY-MM-DD"T"HH24:MI:SS')`;
  const fraction = `to_char(${column}, 'YYYY-MM-DD"T"HH24:MI:SS.US"0"')`;
  return `case when ${column} = date_trunc('second', ${column}) then ${whole} else ${fraction} end`;
}

/** The columns of all tables in the schema, without those that faults remove. */
export async function sourceColumns(
  client: ClientBase,
  { missing = [] }: Pick<Faults, 'missing'>,
): Promise<SourceColumn[]> {
  const { rows } = await client.query<{ table: string; name: string; type: string; length: number | null }>(
    `select c.relname as table, a.attname as name, t.typname as type,
            case when t.typname in ('varchar', 'bpchar') and a.atttypmod > 4 then a.atttypmod - 4 end as length
     from pg_attribute a join pg_class c on c.oid = a.attrelid join pg_type t on t.oid = a.atttypid
     where c.relnamespace = to_regnamespace('etl') and c.relkind in ('r', 'v', 'p') and a.attnum > 0 and not a.attisdropped
     order by c.relname, a.attnum`,
  );
  return rows
    .filter(({ table, name }) => !missing.includes(table) && !missing.includes(`${table}.${name}`))
    .map(({ table, name, type, length }) => new SourceColumn(table, name, type, length));
}
