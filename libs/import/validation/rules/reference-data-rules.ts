import { PARENT } from '#practice/matter-types/matter-type';
import type { Rule } from '../rule';
import { isSettled, isUnchanged, oneName } from '../tenant/edited-records';
import { idText, isExisting, uuidIn } from '../tenant/named-by-id';

const matterTypeRules: readonly Rule[] = [
  {
    code: 'cycle',
    table: 'MatterType',
    column: 'ParentId',
    message: 'The ParentIds form a circle, so that the type is above itself; remove one of them.',
    // The types of a longer circle are too deep.
    rows: `from matter_types t join matter_types p on p.import_id = t.parent_id
           where t.import_id in (t.parent_id, p.parent_id)`,
  },
  {
    code: 'too_deep',
    table: 'MatterType',
    column: 'ParentId',
    message: 'The parent has a parent itself, but there are only two levels; correct the ParentId.',
    // A circle of one or two types has findings already.
    rows: `from matter_types t join all_matter_types p on p.key = t.parent_id
           where p.parent_id is not null and p.parent_id <> t.import_id and p.key <> t.import_id
             and not ${isSettled('MatterType', 't.parent_id')}`,
  },
  {
    code: 'too_deep',
    table: 'MatterType',
    column: 'ParentId',
    message:
      'The tenant has types below this one, so that it can have no parent: there are only two levels. Empty the ' +
      'ParentId.',
    // Types whose own rows name this one as their parent have findings already; types with changed rows are judged by
    // these.
    rows: `from matter_types t cross join settings s
           join record_ids own on own.table_name = 'MatterType' and own.import_id = t.import_id
           where t.parent_id is not null and not ${isUnchanged('MatterType')} and exists (
             select from event_store.links l
             join event_store.streams o on o.tenant_id = s.tenant_id and o.stream_id = l.source
             left join record_ids r on r.table_name = 'MatterType' and r.id = l.source
             left join matter_types c on c.import_id = r.import_id
             where l.tenant_id = s.tenant_id and l.target = own.id and l.kind = '${PARENT}'
               and not coalesce((o.state -> 'data' ->> 'isDeleted')::boolean, false)
               and (c.import_id is null or (c.parent_id is distinct from t.import_id and ${isUnchanged('MatterType', 'c')})))`,
  },
];

/**
 * SQL: rates that begin while an earlier one for the same is in force. There may be very many for the same, so they are
 * not compared in pairs.
 * @param rates SQL: the rates, with `for_what` they are and the last day `until` which they are in force, if it is known
 */
function overlapping(from: string, rates: string): string {
  return `from (
    select t.*, max(t.until) over (
      partition by t.for_what order by t.${from}, t.import_id rows between unbounded preceding and 1 preceding
    ) as until_before
    from (${rates}) t
  ) t where t.until_before >= t.${from}`;
}

const taxRules: readonly Rule[] = [
  {
    code: 'wrong_kind',
    table: 'TaxCode',
    column: 'Category',
    message: 'A Standard or Reduced code needs a rate; add one to TaxRate.',
    rows: `from tax_codes t where t.category in ('Standard', 'Reduced')
             and not exists (select from tax_rates r where r.tax_code_id = t.import_id)`,
  },
  {
    code: 'wrong_kind',
    table: 'TaxCode',
    column: 'Category',
    message: 'A code of the category {} can have no rates; remove them from TaxRate.',
    detail: 't.category',
    rows: `from tax_codes t where t.category not in ('Standard', 'Reduced')
             and exists (select from tax_rates r where r.tax_code_id = t.import_id)`,
  },
  {
    code: 'rates_overlap',
    table: 'TaxRate',
    column: 'FromDate',
    message: 'Another rate of the code is in force on {}; end it before that day.',
    detail: 't.from_date',
    rows: overlapping(
      'from_date',
      `select t.*, t.tax_code_id as for_what,
         case when not coalesce('to_date' = any(t.bad), false) then coalesce(t.to_date, 'infinity') end as until
       from tax_rates t
       where t.tax_code_id is not null and t.from_date <= coalesce(t.to_date, 'infinity')`,
    ),
  },
  {
    code: 'too_many',
    table: 'TaxCode',
    message: 'The code has {} rates, but can have at most 50; remove some.',
    detail: 't.parts',
    rows: `from (select tax_code_id as import_id, count(*) as parts from tax_rates group by 1) t
           where t.parts > 50 and t.import_id in (select import_id from tax_codes)`,
  },
];

/** SQL: what a charge applies to, as one text. Two charges of a set with the same text could not be told apart. */
const forWhat = (alias: string, keys: readonly string[]) =>
  `jsonb_build_array(${keys.map((key) => `${alias}.${key}`).join(', ')})`;

const ENTRY_KEYS = [
  'rate_set_id',
  'per',
  'employee_id',
  'task_type_id',
  'matter_type_id',
  'billing_grade',
  'job_title',
];
const AGREED_KEYS = ['scope', 'scope_id', 'per', 'employee_id', 'task_type_id', 'billing_grade'];

/** SQL: the scope's name. It depends on the kind of scope, as a matter and a client may have the same key. */
const SCOPE = `case t.scope when 'Matter' then ${oneName('Matter', 't.scope_id')} else ${oneName('Client', 't.scope_id')} end`;

const rateRules: readonly Rule[] = [
  {
    code: 'duplicate_entry',
    table: 'RateSetEntry',
    message: '{} entries of the rate set are for the same work; remove all but one.',
    detail: 't.sharing',
    rows: `from (select t.import_id, count(*) over (partition by ${forWhat('t', ENTRY_KEYS)}) as sharing
                 from rate_set_entries t
                 where t.rate_set_id is not null and not coalesce(t.bad && array['${ENTRY_KEYS.join("', '")}'], false)) t
           where t.sharing > 1`,
  },
  {
    code: 'too_many',
    table: 'RateSet',
    message: 'The rate set has {} entries, but can have at most 1,000; divide it.',
    detail: 't.parts',
    rows: `from (select rate_set_id as import_id, count(*) as parts from rate_set_entries group by 1) t
           where t.parts > 1000 and t.import_id in (select import_id from rate_sets)`,
  },
  ...(['Matter', 'Client'] as const).map(
    (scope): Rule => ({
      code: 'wrong_kind',
      table: 'ApplicableRate',
      column: 'ScopeId',
      message: `The Scope is ${scope}, but ScopeId does not name a ${scope.toLowerCase()}; correct one of them.`,
      rows: `from applicable_rates t where t.scope = '${scope}'
               and not exists (select from all_${scope.toLowerCase()}s x where x.key = t.scope_id)
               and exists (select from all_${scope === 'Matter' ? 'client' : 'matter'}s x where x.key = t.scope_id)`,
    }),
  ),
  {
    code: 'wrong_state',
    table: 'ApplicableRate',
    column: 'ScopeId',
    message:
      'ScopeId refers to a matter of the tenant that is not open, or to a client that is not active; open or activate ' +
      'it first.',
    rows: `from applicable_rates t join existing e on e.id = t.scope_id
           where (e.data ->> 'state')::int <> 1 and not ${isUnchanged('ApplicableRate')}`,
  },
  {
    code: 'rates_overlap',
    table: 'ApplicableRate',
    column: 'EffectiveFrom',
    message: 'Another rate for the same work is in force on {}; end it before that day.',
    detail: 't.effective_from',
    rows: overlapping(
      'effective_from',
      `select t.*, coalesce(t.effective_to, 'infinity') as until,
         jsonb_build_array(t.scope, ${SCOPE}, t.per, ${oneName('Employee', 't.employee_id')},
           ${oneName('TaskType', 't.task_type_id')}, t.billing_grade) as for_what
       from applicable_rates t
       where t.scope_id is not null and t.effective_from <= coalesce(t.effective_to, 'infinity')
         and not coalesce(t.bad && array['${AGREED_KEYS.join("', '")}', 'effective_to'], false)`,
    ),
  },
  {
    code: 'rates_overlap',
    table: 'ApplicableRate',
    column: 'EffectiveFrom',
    message: 'The tenant has a rate for the same work that is in force in the same period; end one of them.',
    rows: agreedInTenant(),
  },
];

/** SQL: the id of the record that a reference names, by a row's key or by that id. */
function recordNamed(reference: string, table: string): string {
  return `coalesce((select ${idText('k.kind', 'r.id')} from record_ids r
      join (values ('Matter', 'matter'), ('Client', 'client'), ('Employee', 'employee'), ('TaskType', 'tasktype')) k("table", kind)
        on k."table" = r.table_name
      where r.table_name = ${table} and r.import_id = ${reference}), ${reference})`;
}

/**
 * SQL: rates in the tenant that apply to the same as a new or changed row, on some of the same days. A rate that is a
 * row of the import counts only if production has changed its record; otherwise its row is compared instead.
 */
function agreedInTenant(): string {
  const same = [
    ['per', 'per'],
    ['employee', 'employeeId'],
    ['task_type', 'taskTypeId'],
    ['billing_grade', 'billingGrade'],
  ].map(([cell, field]) => `d.data ->> '${field}' is not distinct from t.${cell}`);
  return `from (
      select t.*, ${recordNamed('t.scope_id', 't.scope')} as scope_record,
        ${recordNamed('t.employee_id', "'Employee'")} as employee, ${recordNamed('t.task_type_id', "'TaskType'")} as task_type
      from applicable_rates t where not ${isUnchanged('ApplicableRate')}
    ) t cross join settings s
    cross join lateral (
      select case when ${isExisting('t.scope_record')} then ${uuidIn('t.scope_record')} end as id
    ) scope
    join event_store.links l on l.tenant_id = s.tenant_id and l.target = scope.id and l.kind like 'applicable_rate%'
    join event_store.streams o on o.tenant_id = s.tenant_id and o.stream_id = l.source and o.kind = 'applicablerate'
    cross join lateral (select (o.state -> 'data')::jsonb as data) d
    left join record_ids own on own.table_name = 'ApplicableRate' and own.id = o.stream_id
    left join edited e on e.table_name = 'ApplicableRate' and e.stream_id = o.stream_id
    where (own.id is null or e.id is not null) and ${same.join(' and ')} and d.data ->> 'scopeId' = t.scope_record
      and not coalesce((d.data ->> 'isDeleted')::boolean, false)
      and t.effective_from <= coalesce((d.data ->> 'effectiveTo')::date, 'infinity')
      and coalesce(t.effective_to, 'infinity') >= (d.data ->> 'effectiveFrom')::date`;
}

export const referenceDataRules: readonly Rule[] = [...matterTypeRules, ...taxRules, ...rateRules];
