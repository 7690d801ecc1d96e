import type { ClientBase } from 'pg';
import type { AnyDefinition } from '#event-store/events';
import { toToken } from '#event-store/position';
import { definitions } from '../areas';
import { foldSamples, storedSamples } from './event-samples';
import { capital, chance, FEW, families, givenNames, id, pick, subjects, uuid, word } from './full-values';

/** The SQL that fills a read table. */
interface FullTable {
  kind: string;
  /** SQL for the table's own columns, and for those fields of the state that differ from row to row. */
  columns: Record<string, string>;
  state: Record<string, string>;
  /** SQL for the texts whose words `keywords` finds. */
  words: string[];
}

const state = (purpose: number, rare: number) =>
  `(case when ${chance(purpose)} < 0.002 then ${rare} else 1 end)::smallint`;

const name = `${word(subjects, 11)} || ' ' || ${word(subjects, 12)} || ' ' || n`;
const family = capital(word(families, 1));
const given = capital(word(givenNames, 2));
const title = `${capital(word(subjects, 21))} || ' of ' || ${word(subjects, 22)}`;
const narration = [31, 32, 33, 34, 35, 36].map((purpose) => word(subjects, purpose)).join(` || ' ' || `);
const roleName = `case when n < 4 then (array['Client','Employee','Supplier'])[n] else ${name} end`;
const coded = {
  columns: { code: `'K' || n`, name, activity: state(13, 2) },
  state: { code: `'K' || n`, name, state: state(13, 2) },
  words: [`'K' || n`, name],
};

const tables: Record<string, FullTable> = {
  people: {
    kind: 'entity',
    columns: {
      entity_type: `case when n % 5 = 0 then 'Organisation' else 'Individual' end`,
      sort_name: `${family} || ', ' || ${given}`,
      full_name: `${given} || ' ' || ${family}`,
      email: `${word(families, 1)} || n || '@example.com'`,
      role_ids: `case when n % 50 = 0 then array[${uuid('role', pick(FEW, 3))}] end`,
    },
    state: { lastName: family, firstName: given, email: `${word(families, 1)} || n || '@example.com'` },
    words: [`${given} || ' ' || ${family}`, `${word(families, 1)} || n || ' example com'`],
  },
  clients: {
    kind: 'client',
    columns: {
      entity_id: uuid('entity', 'n'),
      client_number: `'C' || n`,
      client_state: `(case when ${chance(4)} < 0.002 then 0 when ${chance(4)} < 0.3 then 2 else 1 end)::smallint`,
      tax_code_id: uuid('taxcode', pick('5', 5)),
      billing_contact_id: uuid('entity', pick('rows', 6)),
    },
    state: { entityId: id('entity', 'n'), clientNumber: `'C' || n` },
    words: [`'C' || n`],
  },
  employees: {
    kind: 'employee',
    columns: {
      entity_id: uuid('entity', 'n'),
      division_id: uuid('division', pick('10', 7)),
      employee_state: state(8, 2),
      is_fee_earner: `${chance(9)} < 0.6`,
      initials: `upper(substr(${word(givenNames, 2)}, 1, 1) || substr(${word(families, 1)}, 1, 1))`,
      job_title: `(array['Partner','Associate','Clerk'])[${pick('3', 10)}]`,
      billing_grade: `(array['A','B','C'])[${pick('3', 10)}]`,
    },
    state: { entityId: id('entity', 'n') },
    words: [`(array['Partner','Associate','Clerk'])[${pick('3', 10)}]`],
  },
  suppliers: {
    kind: 'supplier',
    columns: { entity_id: uuid('entity', 'n'), activity: state(13, 2) },
    state: { entityId: id('entity', 'n') },
    words: [],
  },
  divisions: {
    kind: 'division',
    columns: { code: `'K' || n`, name, division_state: state(13, 2), is_default: 'n = 1' },
    state: { name },
    words: [`'K' || n`, name],
  },
  roles: {
    kind: 'role',
    columns: { name: roleName, role_kind: `case when n < 4 then 'System' else 'Custom' end` },
    state: { name: roleName },
    words: [roleName],
  },
  matter_types: {
    ...coded,
    kind: 'mattertype',
    columns: {
      ...coded.columns,
      parent_id: `case when n > 100 then ${uuid('mattertype', pick('100', 14))} end`,
    },
  },
  task_types: {
    ...coded,
    kind: 'tasktype',
    columns: { ...coded.columns, item_type: state(15, 0), phase_code: `'L' || ${pick('500', 16)}` },
  },
  tax_codes: {
    ...coded,
    kind: 'taxcode',
    columns: {
      code: `'K' || n`,
      name,
      scheme: `case when n % 1000 = 0 then 'GST' else 'VAT' end`,
      category: `(array['Standard','Zero','Exempt'])[${pick('3', 17)}]`,
    },
  },
  disbursement_codes: {
    ...coded,
    kind: 'disbursementcode',
    columns: {
      ...coded.columns,
      kind: `(array['CostRecovery','Anticipated','Incurred'])[${pick('3', 18)}]`,
      tax_code_id: uuid('taxcode', pick('500', 19)),
      supplier_id: uuid('supplier', pick('rows', 20)),
    },
  },
  rate_sets: {
    kind: 'rateset',
    columns: { name, is_default: 'n = 1', from_day: `date '2020-01-01' + ${pick('2000', 14)}` },
    state: { name },
    words: [name],
  },
  matters: {
    kind: 'matter',
    columns: {
      // Every third client has matters, and the first ones have many.
      client_id: uuid('client', `(1 + floor(rows / 3 * power(${chance(23)}, 2)) * 3)::int`),
      division_id: uuid('division', pick('10', 7)),
      matter_type_id: uuid('mattertype', pick('40', 24)),
      matter_number: `'M' || n`,
      title,
      matter_state: `(case when ${chance(25)} < 0.002 then 3 when ${chance(25)} < 0.4 then 2 else 1 end)::smallint`,
      responsible_person_id: uuid('employee', pick(FEW, 26)),
      acting_person_id: uuid('employee', pick(FEW, 27)),
      assisting_person_id: uuid('employee', pick(FEW, 28)),
      billing_contact_id: uuid('entity', pick('rows', 29)),
      date_opened: `timestamptz '2023-11-14T22:00Z' + n * interval '1 minute'`,
    },
    state: { matterNumber: `'M' || n`, title },
    words: [`'M' || n`, title],
  },
  applicable_rates: {
    kind: 'applicablerate',
    columns: {
      scope: `case when n % 4 = 0 then 'Client' else 'Matter' end`,
      scope_id: `case when n % 4 = 0 then ${uuid('client', pick('rows', 30))} else ${uuid('matter', pick('rows', 30))} end`,
      employee_id: uuid('employee', pick(FEW, 26)),
      task_type_id: uuid('tasktype', pick('200', 27)),
      effective_from: `date '2020-01-01' + ${pick('2000', 14)}`,
    },
    state: { effectiveFrom: `(date '2020-01-01' + ${pick('2000', 14)})::text` },
    words: [`(array['Partner','Senior','Junior'])[${pick('3', 10)}]`],
  },
  work_items: {
    kind: 'workitem',
    columns: {
      entry_date: `timestamptz '2024-01-01T09:00Z' + (n % 730) * interval '1 day' + (n % 400) * interval '1 minute'`,
      entry_day: `date '2024-01-01' + (n % 730)`,
      matter_id: `case when n % 20 > 0 then ${uuid('matter', pick('rows', 37))} end`,
      employee_id: uuid('employee', pick(FEW, 26)),
      task_type_id: uuid('tasktype', pick('200', 27)),
      invoice_id: 'null::uuid',
      item_type: `(n % 500 = 0)::int::smallint`,
      item_state: `(case when ${chance(38)} < 0.002 then 3 when ${chance(38)} < 0.05 then 0 else 1 end)::smallint`,
      is_billable: 'true',
      title: narration,
      currency: `'GBP'`,
      rate: '250',
      units: '6',
      unit_minutes: '6',
      duration_ticks: '21600000000',
      total: '150',
      total_base: '150',
      remaining: '150',
    },
    state: { title: narration },
    words: [narration],
  },
  cost_recoveries: {
    kind: 'costrecovery',
    columns: {
      entry_date: `timestamptz '2024-01-01T09:00Z' + (n % 730) * interval '1 day' + (n % 400) * interval '1 minute'`,
      entry_day: `date '2024-01-01' + (n % 730)`,
      matter_id: uuid('matter', pick('rows', 41)),
      // A firm has dozens of codes. One in three costs has a supplier.
      disbursement_code_id: uuid('disbursementcode', pick('40', 42)),
      tax_code_id: uuid('taxcode', pick('5', 43)),
      supplier_id: `case when n % 3 = 0 then ${uuid('supplier', pick(FEW, 44))} end`,
      invoice_id: 'null::uuid',
      kind: `(case when n % 3 = 0 then 'Incurred' when ${chance(45)} < 0.05 then 'Anticipated' else 'CostRecovery' end)`,
      cost_state: `(case when ${chance(46)} < 0.002 then 3 when ${chance(46)} < 0.05 then 0 else 1 end)::smallint`,
      currency: `'GBP'`,
      quantity: '2',
      unit_amount: '3',
      total: '6',
      remaining: '6',
    },
    state: { description: narration },
    words: [narration],
  },
  invoices: {
    kind: 'invoice',
    columns: {
      client_id: uuid('client', pick('rows', 51)),
      matter_id: uuid('matter', pick('rows', 52)),
      number: `case when n % 40 > 0 then n::text end`,
      invoice_state: `(case when n % 40 = 0 then 0 when ${chance(53)} < 0.002 then 5 when ${chance(53)} < 0.1 then 1 else 3 end)::smallint`,
      issue_date: `case when n % 40 > 0 then date '2024-01-01' + (n % 730) end`,
      due_date: `case when n % 40 > 0 then date '2024-01-31' + (n % 730) end`,
      currency: `'GBP'`,
      net: '150',
      tax: '30',
      total: '180',
      balance: '0',
    },
    state: { number: 'n::text' },
    words: ['n::text'],
  },
  document_collections: {
    kind: 'documentcollection',
    columns: {
      name,
      subject_id: id('matter', pick('rows', 37)),
      parent_id: `case when n > 100 then ${uuid('documentcollection', pick('100', 14))} end`,
      root_of: 'null::uuid',
    },
    state: { name },
    words: [name],
  },
  documents: {
    kind: 'document',
    columns: {
      file_name: `${narration} || ' ' || n || '.pdf'`,
      collection_id: uuid('documentcollection', pick(FEW, 26)),
      subject_id: id('matter', pick('rows', 37)),
      size: '1000 + n % 7919',
    },
    state: { fileName: `${narration} || ' ' || n || '.pdf'` },
    words: [narration, 'n'],
  },
};

/** The number of rows per transaction, which is limited: an open transaction holds back every feed of the server. */
const CHUNK = 2_000;

/** The token of a row's last change. Rows are changed in another order than that of their ids. */
export function changedAt(position: bigint): string {
  return toToken({ epoch: 1, transactionId: 1000n + position, position });
}

/**
 * Fills the lists of tenants with a number of rows each, and updates the statistics. The rows go directly into the
 * first generation of the tables, as the projections write them, but without events. One row in 50 is deleted, and one
 * in 200 was changed on the last day. Some names are frequent and others rare, as real names are.
 */
export async function fillLists(client: ClientBase, tenants: readonly number[], rows: number): Promise<void> {
  const samples = storedSamples();
  for (const [table, full] of Object.entries(tables)) {
    const definition = definitions.find(({ kind }) => kind === full.kind)!;
    const [created] = Object.entries(definition.events);
    const onlyCreated: AnyDefinition = { ...definition, events: Object.fromEntries([created]) };
    const { data } = foldSamples(onlyCreated, samples).at(-1)!;
    const text = statement(table, full);
    for (let first = 1; first <= rows; first += CHUNK)
      await client.query(text, [tenants, rows, JSON.stringify(data), first]);
    await client.query(`analyze read_model.${table}`);
  }
}

function statement(table: string, { kind, columns, state, words }: FullTable): string {
  const fields = Object.entries(state).flatMap(([field, value]) => [`'${field}'`, value]);
  const texts = words.length > 0 ? `lower(concat_ws(' ', ${words.join(', ')}))` : `''`;
  // The order of the feed differs from that of the ids.
  return `insert into read_model.${table} (generation, tenant_id, id, version, is_deleted, created_on, created_by, updated_on,
      updated_by, external_reference, changed_epoch, changed_transaction_id, changed_position, state, search,
      ${Object.keys(columns).join(', ')})
    select 1, tenant, ${uuid(kind, 'n')}, 2, n % 50 = 49, at, 'integration:bench',
      case when ${chance(40)} < 0.005 then timestamptz '2026-02-01' + n * interval '1 second' else at + interval '1 hour' end,
      'integration:bench', null, 1, (1000 + moved)::text::xid8, moved,
      ($3::jsonb || jsonb_build_object(${fields.join(', ')}))::json,
      coalesce(array_to_tsvector(array_remove(string_to_array(${texts}, ' '), '')), ''),
      ${Object.values(columns).join(', ')}
    from (
      select tenant, $2::int as rows, n, (n * 7919) % $2 as moved,
        timestamptz '2023-11-14T22:00Z' + n * interval '1 minute' as at
      from generate_series($4::int, least($4 + ${CHUNK - 1}, $2)) n cross join unnest($1::int[]) tenant
    ) source`;
}
