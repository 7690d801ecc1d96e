import { Activity } from '#practice/records/activity';
import { kindOfTable } from '../../records/record-id';
import { tables } from '../../schema/schema-1.0';
import type { Column } from '../../schema/table';
import { checkedColumn, checkedTable } from '../checked-names';
import type { Rule } from '../rule';
import { isUnchanged } from '../tenant/edited-records';
import { isExisting } from '../tenant/named-by-id';

/** Columns whose reference to a record of the tenant requires an active record, as for requests. */
const TO_ACTIVE: Record<string, readonly string[]> = {
  MatterType: ['ParentId'],
  Employee: ['DivisionId'],
  RateSetEntry: ['EmployeeId', 'TaskTypeId', 'MatterTypeId'],
  ApplicableRate: ['EmployeeId', 'TaskTypeId'],
  Matter: ['DivisionId', 'MatterTypeId', 'ResponsiblePersonId', 'ActingPersonId', 'AssistingPersonId'],
  WorkItem: ['EmployeeId', 'TaskTypeId'],
  CostRecovery: ['DisbursementCodeId', 'SupplierId'],
};

const found = tables.flatMap(({ name: table, columns }) =>
  columns.flatMap((column): Rule[] => (column.refersTo ? rulesOf(table, column, column.refersTo) : [])),
);

function rulesOf(table: string, { name: column, isOfRow }: Column, refersTo: readonly string[]): Rule[] {
  const cell = `t.${checkedColumn(column)}`;
  const isRow = refersTo.map(
    (to) => `exists (select from ${checkedTable(to)} x where x.import_id = ${cell})`,
  );
  const from = `from ${checkedTable(table)} t where ${cell} is not null`;
  const missing: Rule = {
    code: 'not_found',
    table,
    column,
    message: `${column} refers to no row of ${refersTo.join(' or ')}: “{}”; add the row or correct the reference.`,
    detail: `left(${cell}, 50)`,
    rows: `${from} and not (${isRow.join(' or ')})`,
  };
  if (isOfRow) {
    const isForeign: Rule = {
      code: 'part_of_existing',
      table,
      column,
      message: `${column} refers to a record of the tenant; name a row of ${refersTo.join(' or ')} instead.`,
      rows: `${from} and ${isExisting(cell)} and not (${isRow.join(' or ')})`,
    };
    return [
      { ...missing, rows: `${missing.rows} and not ${isExisting(`coalesce(${cell}, '')`)}` },
      isForeign,
    ];
  }
  const kinds = refersTo.map((to) => `'${kindOfTable(to)}'`).join(', ');
  const isRecord = `exists (select from existing e where e.id = ${cell} and e.kind in (${kinds}))`;
  const isDeleted = `exists (select from edited e where e.id = ${cell} and e.is_deleted)`;
  return [
    { ...missing, rows: `${missing.rows} and not ${isRecord} and not ${isDeleted}` },
    {
      code: 'not_found',
      table,
      column,
      message: `${column} refers to “{}”, whose record was deleted since its import; correct the reference.`,
      detail: 'left(e.import_id, 50)',
      rows: `from ${checkedTable(table)} t join edited e on e.id = ${cell} and e.is_deleted`,
    },
  ];
}

const active = Object.entries(TO_ACTIVE).flatMap(([table, columns]) =>
  columns.map(
    (column): Rule => ({
      code: 'wrong_state',
      table,
      column,
      message: `${column} refers to a record of the tenant that is not active; activate it first.`,
      rows: `from ${checkedTable(table)} t join existing e on e.id = t.${checkedColumn(column)}
             where (e.data ->> 'state')::int <> 1 and not ${isUnchanged(table)}`,
    }),
  ),
);

const present = ['Client', 'Employee', 'Supplier'].map(
  (table): Rule => ({
    code: 'wrong_state',
    table,
    column: 'EntityId',
    message:
      'EntityId refers to somebody whose personal data was erased, so that no new record can be made for them; remove ' +
      'the row.',
    rows: `from ${checkedTable(table)} t join existing e on e.id = t.entity_id
           where e.data ->> 'anonymisedOn' is not null and not ${isUnchanged(table)} and not ${isEnded(table)}`,
  }),
);

/**
 * SQL: the row says that its record is inactive, and the record is so already, as after an erasure. The row then begins
 * nothing that needs an active record.
 */
function isEnded(table: string): string {
  return `(t.state = 'Inactive' and exists (
    select from record_ids r
    join event_store.streams o on o.tenant_id = (select tenant_id from settings) and o.stream_id = r.id
    where r.table_name = '${table}' and r.import_id = t.import_id
      and (o.state -> 'data' ->> 'state')::int = ${Activity.Inactive}))`;
}

export const referenceRules: readonly Rule[] = [...found, ...active, ...present];
