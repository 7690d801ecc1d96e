import { DEFAULT_RATE_SET } from '#practice/rate-sets/rate-set';
import { tables } from '../../schema/schema-1.0';
import { checkedTable, cut } from '../checked-names';
import type { Rule } from '../rule';
import { isUnchanged, oneName } from '../tenant/edited-records';
import { idText, isExisting } from '../tenant/named-by-id';
import { isGivenUp, takenBy, uniqueKeys } from '../tenant/unique-keys';

/** An ImportId must be unique in its table, and must not look like the id of a record. */
export const keyRules: readonly Rule[] = tables.flatMap(({ name: table }): Rule[] => [
  {
    code: 'duplicate_key',
    table,
    column: 'ImportId',
    message: '{} rows have this ImportId; give each its own.',
    detail: 't.rows',
    rows: `from (select import_id, count(*) as rows from "${table}" r cross join lateral (select ${cut('r."ImportId"')} as import_id) i
                 where import_id is not null group by import_id having count(*) > 1) t`,
  },
  {
    code: 'duplicate_key',
    table,
    column: 'ImportId',
    message: "The ImportId looks like the id of one of the tenant's records; choose another form.",
    rows: `from ${checkedTable(table)} t where ${isExisting('t.import_id')}`,
  },
]);

/**
 * SQL: the tenant's records that a staging tenant has besides those of the rows: records that rows name, and the
 * records to which these refer, directly or indirectly.
 */
const COPIED = `
  with recursive copied as (
    select e.stream_id as id from existing e where not exists (select from record_ids o where o.id = e.stream_id)
    union
    select l.target from copied c
    join event_store.links l on l.tenant_id = (select tenant_id from settings) and l.source = c.id
    where not exists (select from record_ids o where o.id = l.target)
  )
  select id from copied`;

const numberRules = uniqueKeys.flatMap((unique): Rule[] => {
  const { table, column, key, called } = unique;
  return [
    {
      code: 'duplicate_code',
      table,
      column,
      message: `{} rows have this ${called}, which must be unique; change all but one.`,
      detail: 't.sharing',
      rows: `from (select t.import_id, t.key, count(*) over (partition by t.key) as sharing
                   from (select t.import_id, ${key('t')} as key from ${checkedTable(table)} t) t where t.key is not null) t
             where t.sharing > 1`,
    },
    {
      code: 'code_taken',
      table,
      column,
      message: `Another record of the tenant has this ${called}; change it, or refer to that record.`,
      rows: `${takenBy(unique)} and ${isInTheWay(table)} and not ${isGivenUp(unique)}`,
    },
  ];
});

/** SQL: the id of the entity that the row's EntityId names. */
const ENTITY = `coalesce((select ${idText("'entity'", 'i.id')} from record_ids i
    where i.table_name = 'Entity' and i.import_id = t.entity_id), t.entity_id)`;

/** An entity is at most one client, one employee and one supplier. */
const placeRules = ['Client', 'Employee', 'Supplier'].flatMap((table): Rule[] => {
  const called = table.toLowerCase();
  return [
    {
      code: 'duplicate_code',
      table,
      column: 'EntityId',
      message: `The entity has {} rows in ${table}, but can be only one ${called}; remove all but one.`,
      detail: 't.sharing',
      rows: `from (select import_id, count(*) over (partition by entity_id) as sharing
                   from (select import_id, ${oneName('Entity', 't.entity_id')} as entity_id from ${checkedTable(table)} t
                         where t.entity_id is not null) t) t where t.sharing > 1`,
    },
    {
      code: 'code_taken',
      table,
      column: 'EntityId',
      message: `The tenant already has the entity as ${called}; refer to that record.`,
      // Unlike codes, the place of an entity is never given up: a client never passes to another entity.
      rows: `${takenBy({ table, reservation: `entity_${called}`, key: () => ENTITY })} and ${isInTheWay(table)}`,
    },
  ];
});

/** The import's default rate set may replace the one with which a tenant begins, but no other. */
const defaultRules: readonly Rule[] = [
  {
    code: 'unused',
    table: 'RateSet',
    column: 'IsDefault',
    message:
      'The tenant has another default rate set, which stays the default; to change that, make this one the default in ' +
      'the tenant.',
    rows: `from rate_sets t cross join settings s
           join event_store.reservations r on r.tenant_id = s.tenant_id and r.kind = '${DEFAULT_RATE_SET.kind}'
           join event_store.streams o on o.tenant_id = r.tenant_id and o.stream_id = r.stream_id
           left join record_ids own on own.table_name = 'RateSet' and own.import_id = t.import_id
           where t.is_default and own.id is distinct from r.stream_id and not ${isUnchanged('RateSet')}
             and (o.version > 1 or json_array_length(o.state -> 'data' -> 'entries') > 0
               or exists (select from import.records i where i.tenant_id = s.tenant_id and i.record_id = r.stream_id))`,
  },
  {
    code: 'duplicate_code',
    table: 'RateSet',
    column: 'IsDefault',
    message: 'There are {} default rate sets, but only one can be the default; correct the others.',
    detail: '(select count(*) from rate_sets where is_default)',
    rows: 'from rate_sets t where t.is_default and (select count(*) from rate_sets where is_default) > 1',
  },
];

/**
 * SQL: the conflict between the row's record and the other holder of its key must be reported. The key of an unchanged
 * row may have passed to another record since; this matters only if the staging tenant has that record, too.
 */
function isInTheWay(table: string): string {
  return `not (${isUnchanged(table)} and r.stream_id not in (${COPIED}))`;
}

export const uniqueRules: readonly Rule[] = [...numberRules, ...placeRules, ...defaultRules];
