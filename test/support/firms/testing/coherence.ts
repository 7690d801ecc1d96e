import type { ClientBase } from 'pg';
import { SOURCE_SCHEMA, tables } from '#import/schema/schema-1.0';
import type { Column, Table } from '#import/schema/table';
import type { Figure, Measure } from '../firm';
import { sourceTable } from '../firm-tables';
import { AMOUNT, LINES, rules, TOTALS, VALUE } from './rules';

/** Natural keys, which are unique in their table. */
const unique: readonly (readonly [table: string, expression: string])[] = [
  ...['TaskType', 'TaxCode', 'DisbursementCode'].map((table) => [table, '"Code"'] as const),
  ...['Employee', 'Client', 'Supplier'].map((table) => [table, '"EntityId"'] as const),
  ['Role', 'lower("Name")'],
  ['Client', '"ClientNumber"'],
  ['Matter', '"MatterNumber"'],
  ['Invoice', '"Number"'],
];

/** The number of rows that break each rule, for the rules that are broken. */
export async function incoherences(client: ClientBase): Promise<Record<string, number>> {
  const broken: Record<string, number> = {};
  const check = async (rule: string, sql: string) => {
    const { rows } = await client.query<{ count: number }>(
      `select count(*)::int as count from (${sql}) broken`,
    );
    if (rows[0].count > 0) broken[rule] = rows[0].count;
  };
  for (const [rule, sql] of Object.entries(rules)) await check(rule, sql);
  for (const [table, expression] of unique)
    await check(
      `${table} ${expression} is unique`,
      `select from ${sourceTable(table)} where ${expression} is not null group by ${expression} having count(*) > 1`,
    );
  for (const table of tables)
    for (const column of table.columns)
      for (const [rule, sql] of columnRules(table, column))
        await check(`${table.name}.${column.name} ${rule}`, sql);
  return broken;
}

/** The rules that follow from a column's declaration. */
function* columnRules({ name }: Table, column: Column): Generator<readonly [rule: string, sql: string]> {
  const { isRequired, length, values, refersTo, type } = column;
  const from = `select from ${sourceTable(name)} t`;
  const value = `t."${column.name}"`;
  if (isRequired) yield ['is there', `${from} where ${value} is null`];
  if (type === 'key') yield ['is unique', `${from} group by ${value} having count(*) > 1`];
  if (length) yield ['fits', `${from} where length(${value}) > ${length} or ${value} = ''`];
  if (values)
    yield ['is of the list', `${from} where ${value} not in (${values.map((each) => `'${each}'`)})`];
  if (!refersTo) return;
  const found = refersTo.map(
    (to) => `exists (select from ${SOURCE_SCHEMA}."${to}" o where o."ImportId" = ${value})`,
  );
  yield ['is found', `${from} where ${value} is not null and not (${found.join(' or ')})`];
}

/** The figures of the rows, calculated in SQL. */
export async function recomputed(client: ClientBase) {
  const rows: Record<string, number> = {};
  for (const { name } of tables) {
    const { rows: counted } = await client.query<{ count: number }>(
      `select count(*)::int as count from ${sourceTable(name)}`,
    );
    rows[name] = counted[0].count;
  }
  const work = `select w."MatterId" as matter, w."EmployeeId" as earner, ${VALUE} as amount, w.* from etl."WorkItem" w`;
  const open = `select * from (${work}) w where "MatterId" is not null and "IsBillable" and "State" in ('Pending', 'Finalised')`;
  const billed = `select i."MatterId" as matter, w."EmployeeId" as earner, ${AMOUNT} as amount from ${LINES}
    where i."State" in ('Issued', 'PartPaid', 'Paid', 'WrittenOff') and l."Kind" = 'Fee'`;
  const owed = `select "MatterId" as matter, null as earner, total - paid as amount from ${TOTALS} t
    where "State" in ('Issued', 'PartPaid')`;
  return {
    rows,
    work: await measured(client, work),
    unbilledWork: await measured(client, open),
    billed: await measured(client, billed),
    debtors: await measured(client, owed),
  };
}

async function measured(client: ClientBase, of: string): Promise<Measure> {
  const by = async (key: string) => {
    const sql = `select ${key} as key, count(*)::int as count, round(sum(amount), 2)::text as amount
      from (${of}) f where ${key} is not null group by 1`;
    const { rows } = await client.query<Figure & { key: string }>(sql);
    return Object.fromEntries(rows.map(({ key: name, ...figure }) => [name, figure]));
  };
  const total = await by(`'all'`);
  return {
    total: total.all ?? { count: 0, amount: '0.00' },
    byMatter: await by('matter'),
    byFeeEarner: await by('earner'),
  };
}

/** The values of all rows as text, by table and ImportId. */
export type Rows = Record<string, Record<string, Record<string, string | null>>>;

export async function allRows(client: ClientBase): Promise<Rows> {
  const all: Rows = {};
  for (const { name, columns } of tables) {
    const asText = columns.map((column) => `"${column.name}"::text as "${column.name}"`);
    const { rows } = await client.query(`select ${asText.join(', ')} from ${sourceTable(name)}`);
    all[name] = Object.fromEntries(rows.map((row) => [row.ImportId, row]));
  }
  return all;
}
