import { type ClientBase, escapeLiteral } from 'pg';
import { tables } from '../../schema/schema-1.0';
import type { Column, Table } from '../../schema/table';
import { checkedColumn, checkedTable, cut, isCopied, normalisedText } from '../checked-names';
import { type FindingCode, severityOf } from '../findings';
import { makeTableOf } from '../working-tables';
import { cellTypes, rangeOf } from './cell-types';

/** Separates the parts of a fault: column, code, and the beginning of the value. */
const SEPARATOR = '\u001f';
/** The number of characters of a value that a finding quotes. */
const QUOTED = 20;
/** Tables with personal data: findings quote none of their values. */
const PERSONAL = new Set(['Entity']);

/**
 * Makes the checked copies of all tables, each in one pass over its rows. A copy's `faults` list the invalid cells of a
 * row; `bad` names the columns whose cells are null for that reason.
 */
export async function checkCells(session: ClientBase): Promise<void> {
  for (const table of tables) {
    const copy = (rows: string) => copyOf(table, rows);
    await makeTableOf(session, checkedTable(table.name), `"${table.name}"`, copy, 'import_id');
  }
}

export async function reportCells(session: ClientBase, requestId: string): Promise<void> {
  for (const table of tables) {
    await session.query(
      `insert into import.findings (request_id, severity, code, table_name, import_id, column_name, message)
       select $1, m.severity, m.code, $2, t.import_id, m.name, replace(m.message, '{value}', split_part(f, $4, 3))
       from ${checkedTable(table.name)} t
       cross join lateral unnest(t.faults) f
       join json_to_recordset($3) m(name text, code text, severity text, message text)
         on m.name = split_part(f, $4, 1) and m.code = split_part(f, $4, 2)
       order by left(t.import_id, 100)`,
      [requestId, table.name, JSON.stringify(messagesOf(table)), SEPARATOR],
    );
  }
}

/** The query for a checked copy. Its inner query determines each cell's fault, once. */
function copyOf(table: Table, rows: string): string {
  const { columns } = table;
  const codes = columns.map((column, at) => `${codeOf(table, column)} as c${at}`);
  const values = columns.flatMap((column, at) =>
    isCopied(column) ? [`${typedCell(column, at)} as ${checkedColumn(column.name)}`] : [],
  );
  const faults = columns.map(({ name }, at) => {
    const head = `${name}${SEPARATOR}`;
    return `${escapeLiteral(head)} || c${at} || ${escapeLiteral(SEPARATOR)} || ${quoted(table, name)}`;
  });
  const bad = columns.map(({ name }, at) => `case when ${isUnread(at)} then '${checkedColumn(name)}' end`);
  return `
    select ${values.join(', ')},
      nullif(array_remove(array[${faults.join(', ')}], null), '{}') as faults,
      nullif(array_remove(array[${bad.join(', ')}], null), '{}') as bad
    from (select r.*, ${codes.join(', ')} from ${rows} r offset 0) s`;
}

/** SQL: the code of a cell's fault; null if the cell is valid. */
function codeOf(table: Table, column: Column): string {
  const v = `r."${column.name}"`;
  const cases = Object.entries(faultsOf(table, column)).map(
    ([code, { isFault }]) => `when ${isFault(v)} then '${code}'`,
  );
  const empty = column.isRequired ? "'required'" : 'null';
  return `case when ${v} is null then ${empty} ${cases.join(' ')} end`;
}

interface Fault {
  isFault(v: string): string;
  message: string;
}

/** The possible faults of a cell that is not empty, in the order of the checks. */
function faultsOf(table: Table, column: Column): Partial<Record<FindingCode, Fault>> {
  const { name, type, length, values, isUnique } = column;
  const { called, isValid } = cellTypes[type];
  const range = rangeOf(table.name, column);
  const blank = column.isRequired && isText(column);
  const wrong: Fault = {
    isFault: (v) => `not (${isValid(v)})`,
    message: blank ? `${name} is blank; fill it in.` : `${name} must be ${called}; it begins with “{value}”.`,
  };
  return {
    [blank ? 'required' : 'invalid_value']: wrong,
    ...(isUnique && { invalid_value: otherForm(name) }),
    ...(values && {
      invalid_choice: {
        isFault: (v) => `${v} not in (${values.map(escapeLiteral).join(', ')})`,
        message: `${name} must be one of ${values.join(', ')}; it begins with “{value}”.`,
      },
    }),
    ...(type === 'currency' && {
      unknown_currency: {
        isFault: (v) => `${v} <> all (array(select code from currency_codes))`,
        message: `${name} must be a currency code such as GBP; it begins with “{value}”.`,
      },
    }),
    ...(length !== undefined && {
      too_long: {
        isFault: (v) => `length(${v}) > ${length}`,
        message: `${name} has more than ${length} characters; shorten it.`,
      },
    }),
    ...(range && {
      out_of_range: {
        isFault: (v) => `not (${range.within(v)})`,
        message: `${name} must be between ${range.bounds[0]} and ${range.bounds[1]}; it begins with “{value}”.`,
      },
    }),
  };
}

/**
 * The fault of a code with white space at its ends, which includes a blank code, or not in NFC: it looks like another
 * code. Requests refuse such codes, too.
 */
function otherForm(name: string): Fault {
  return {
    isFault: (v) => `${v} <> ${normalisedText(v)}`,
    message: `${name} must have no white space at its ends, and be in Unicode's form NFC; it begins with “{value}”.`,
  };
}

function isText({ type }: Column): boolean {
  return cellTypes[type].sqlType === 'text';
}

/** SQL: the cell's value cannot be used. A text that is only too long can. */
function isUnread(at: number): string {
  return `c${at} <> 'too_long'`;
}

function typedCell({ name, type, length }: Column, at: number): string {
  const { cast, sqlType } = cellTypes[type];
  const cell = `s."${name}"`;
  const long = length === undefined ? '' : `when c${at} = 'too_long' then ${cut(cell)}`;
  return `(case when c${at} is null then ${cast(cell)} ${long} end)::${sqlType}`;
}

function quoted(table: Table, column: string): string {
  return PERSONAL.has(table.name) && !['EntityType', 'Currency'].includes(column)
    ? "'…'"
    : `coalesce(left(s."${column}", ${QUOTED}), '')`;
}

function messagesOf(table: Table) {
  return table.columns.flatMap((column) => {
    const { name } = column;
    const faults = Object.entries(faultsOf(table, column)) as [FindingCode, Fault][];
    const empty = column.isRequired
      ? [['required', { message: `${name} is empty; fill it in.` }] as const]
      : [];
    const messages = new Map([...faults, ...empty].map(([code, { message }]) => [code, message]));
    return [...messages].map(([code, message]) => ({ name, code, severity: severityOf(code), message }));
  });
}
