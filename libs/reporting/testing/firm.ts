import type { Pool } from 'pg';
import { v7 } from 'uuid';
import { feeAnalysisProjection } from '#practice/work-items/fee-analysis.projection';
import { workItemsProjection } from '#practice/work-items/work-item.projection';
import { withDerived } from '#projections/derived-tables';

const now = '2025-01-01T00:00:00Z';

/** Writes a tenant's rows in the read models, for tests. */
export class Firm {
  constructor(
    private readonly pool: Pick<Pool, 'query'>,
    readonly tenantId: number,
    private readonly generation = 1,
  ) {}

  async open({ zone = 'Europe/London', financialYearStart = 4 } = {}): Promise<this> {
    await this.insert('tenants', {
      firm_name: 'Firm',
      currency: 'GBP',
      time_zone: zone,
      financial_year_start: financialYearStart,
    });
    return this;
  }

  person(sortName: string): Promise<string> {
    return this.insert('people', { entity_type: 'Individual', sort_name: sortName, full_name: sortName });
  }

  async employee(sortName: string): Promise<string> {
    const entity_id = await this.person(sortName);
    return this.insert('employees', { entity_id, employee_state: 1, is_fee_earner: true });
  }

  async client(sortName: string): Promise<string> {
    const entity_id = await this.person(sortName);
    return this.insert('clients', { entity_id, client_number: sortName, client_state: 1 });
  }

  division(name: string): Promise<string> {
    return this.insert('divisions', { name, division_state: 1, is_default: false });
  }

  matter(matterNumber: string, client: string, division: string): Promise<string> {
    return this.insert('matters', {
      client_id: client,
      division_id: division,
      matter_number: matterNumber,
      title: `Matter ${matterNumber}`,
      matter_state: 1,
      date_opened: now,
    });
  }

  workItem(item: { employee_id: string; entry_date: string } & Record<string, unknown>): Promise<string> {
    return this.insert('work_items', {
      entry_day: item.entry_date.slice(0, 10),
      item_type: 0,
      item_state: 1,
      is_billable: true,
      currency: 'GBP',
      rate: 100,
      units: 0,
      unit_minutes: 6,
      duration_ticks: 0,
      total: item.total_base ?? 0,
      total_base: 0,
      remaining: 0,
      ...item,
    });
  }

  async fact(
    fact: { employee_id: string; matter_id: string; day: string } & Record<string, unknown>,
  ): Promise<void> {
    const row = {
      generation: this.generation,
      tenant_id: this.tenantId,
      id: v7(),
      work_item_id: v7(),
      currency: 'GBP',
      ...fact,
    };
    await this.write('fee_analysis', row);
  }

  /** Inserts a record's row. The columns that all records have are filled in. */
  async insert(table: string, row: Record<string, unknown>): Promise<string> {
    const record = {
      generation: this.generation,
      tenant_id: this.tenantId,
      id: v7(),
      version: 1,
      is_deleted: false,
      created_on: now,
      created_by: 'test',
      updated_on: now,
      updated_by: 'test',
      changed_epoch: 1,
      changed_transaction_id: '1',
      changed_position: 1,
      state: {},
      search: '',
      ...row,
    };
    await this.write(table, record);
    return String(record.id);
  }

  private async write(table: string, row: Record<string, unknown>): Promise<void> {
    const columns = Object.keys(row);
    const placeholders = columns.map((_, index) => `$${index + 1}`);
    const insert = `insert into read_model.${table} (${columns.join(', ')}) values (${placeholders.join(', ')})`;
    const projection = [workItemsProjection, feeAnalysisProjection].find(
      ({ tables }) => tables[0].name === table,
    );
    const statement = projection
      ? withDerived(projection.tables[0], projection.derived!, insert, String(this.generation))
      : insert;
    await this.pool.query(statement, Object.values(row));
  }
}

/** Creates the six items of the worked examples in the report's design, also as facts of fee analysis. */
export async function workedExamples(firm: Firm) {
  const client = await firm.client('Client, One');
  const division = await firm.division('Litigation');
  const employees = new Map<string, string>();
  for (const name of ['Ash', 'Bell', 'Cole']) employees.set(name, await firm.employee(name));
  const matters = new Map<string, string>();
  for (const number of ['M1', 'M2', 'M3']) matters.set(number, await firm.matter(number, client, division));
  const items: [
    day: string,
    employee: string,
    matter: string,
    state: number,
    units: number,
    total: number,
  ][] = [
    ['2025-01-05', 'Ash', 'M1', 2, 5, 100],
    ['2025-01-06', 'Ash', 'M1', 1, 2, 40],
    ['2025-01-07', 'Ash', 'M2', 1, 3, 60],
    ['2025-01-08', 'Bell', 'M2', 2, 4, 120],
    ['2025-01-09', 'Bell', 'M2', 1, 1, 0],
    ['2025-01-09', 'Cole', 'M3', 1, 0, 0],
  ];
  const ids: string[] = [];
  for (const [day, employee, matter, item_state, units, total_base] of items) {
    const who = { employee_id: employees.get(employee)!, matter_id: matters.get(matter)! };
    ids.push(await firm.workItem({ ...who, entry_date: `${day}T10:00:00Z`, item_state, units, total_base }));
    const billed = item_state === 2 ? { billed: total_base, billed_units: units } : {};
    await firm.fact({ ...who, day, finalised: total_base, finalised_units: units, ...billed });
  }
  return { client, division, employees, matters, ids };
}
