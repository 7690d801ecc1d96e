import type { ClientBase } from 'pg';
import type { FindingCode, Severity } from '#import/validation/findings';
import { severityOf } from '#import/validation/findings';
import { sourceTable } from './firm-tables';

/** A finding that a planted mistake must lead to. */
export interface PlantedFinding {
  readonly severity: Severity;
  readonly code: FindingCode;
  readonly table: string;
  readonly importId: string | null;
  readonly column: string | null;
}

export type Cells = Readonly<Record<string, string | number | boolean | null>>;

/** The sound surroundings of planted mistakes: a client and its open matter, to which nothing else happens. */
export const CLIENT = 'F-CLI';
export const MATTER = 'F-MAT';

/** Adds sound rows, in which a mistake then changes a cell or two, and collects the expected findings. */
export class Planter {
  readonly findings: PlantedFinding[] = [];

  constructor(private readonly client: ClientBase) {}

  async add(table: string, importId: string | null, cells: Cells): Promise<void> {
    const row: Cells = { ImportId: importId, ...cells };
    const names = Object.keys(row).map((name) => `"${name}"`);
    const values = names.map((_, index) => `$${index + 1}`);
    await this.client.query(
      `insert into ${sourceTable(table)} (${names.join(', ')}) values (${values.join(', ')})`,
      Object.values(row),
    );
  }

  async change(table: string, importId: string, column: string, value: string): Promise<void> {
    await this.client.query(`update ${sourceTable(table)} set "${column}" = $1 where "ImportId" = $2`, [
      value,
      importId,
    ]);
  }

  expect(code: FindingCode, table: string, importId: string | null, column: string | null): void {
    this.findings.push({ severity: severityOf(code), code, table, importId, column });
  }

  entity(id: string, cells: Cells = {}): Promise<void> {
    return this.add('Entity', id, { EntityType: 'Organisation', Name: `Company ${id}`, ...cells });
  }

  /** A client with its own entity. */
  async newClient(id: string, cells: Cells = {}): Promise<void> {
    await this.entity(`${id}/E`);
    await this.add('Client', id, { EntityId: `${id}/E`, State: 'Active', ...cells });
  }

  matter(id: string, cells: Cells = {}): Promise<void> {
    const dates = { DateOpened: '2025-01-10T09:00:00' };
    return this.add('Matter', id, {
      ClientId: CLIENT,
      DivisionId: 'DIV-1',
      Title: `Matter ${id}`,
      State: 'Open',
      ...dates,
      ...cells,
    });
  }

  /** An hour at 200.00, which is ten units. */
  work(id: string, cells: Cells = {}): Promise<void> {
    return this.add('WorkItem', id, {
      MatterId: MATTER,
      EmployeeId: 'EMP-1',
      ItemType: 'Timed',
      EntryDate: '2025-03-03T10:00:00',
      DurationTicks: 36_000_000_000,
      Rate: 200,
      RateCurrency: 'GBP',
      State: 'Pending',
      IsBillable: true,
      ...cells,
    });
  }

  /** Two pieces at 5.00, free of tax. */
  cost(id: string, cells: Cells = {}): Promise<void> {
    return this.add('CostRecovery', id, {
      MatterId: MATTER,
      DisbursementCodeId: 'DISB-4',
      Kind: 'CostRecovery',
      State: 'Pending',
      EntryDate: '2025-03-03T10:00:00',
      Quantity: 2,
      UnitAmount: 5,
      ...cells,
    });
  }

  invoice(id: string, cells: Cells = {}): Promise<void> {
    return this.add('Invoice', id, {
      ClientId: CLIENT,
      MatterId: MATTER,
      Number: id,
      IssueDate: '2025-06-30',
      Currency: 'GBP',
      State: 'Issued',
      ...cells,
    });
  }

  line(id: string, invoice: string, cells: Cells): Promise<void> {
    return this.add('InvoiceLine', id, { InvoiceId: invoice, Kind: 'Fee', ...cells });
  }

  payment(id: string, invoice: string, amount: number, cells: Cells = {}): Promise<void> {
    return this.add('Payment', id, { InvoiceId: invoice, Date: '2025-07-10', Amount: amount, ...cells });
  }

  /** An invoice (`id`) of 240.00 with a line (`id/L`) for an hour's work (`id/W`). */
  async bill(id: string, cells: { invoice?: Cells; line?: Cells; work?: Cells } = {}): Promise<void> {
    await this.work(`${id}/W`, { State: 'Billed', ...cells.work });
    await this.invoice(id, cells.invoice);
    await this.line(`${id}/L`, id, { WorkItemId: `${id}/W`, ...cells.line });
  }
}
