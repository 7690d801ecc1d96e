import { at } from '#event-store/load';
import { newId } from '#kernel/ids';
import { recordId } from '../../records/record-id';
import { type Imports, openImports } from '../../testing/import-parts';
import { promotionParts } from '../../testing/promotion-parts';
import { type StagedRows, stageRows } from '../../testing/staged-rows';
import { validationOf } from './validation-of';

type Cells = Record<string, string>;

const several = (count: number, row: (index: number) => Cells) =>
  Array.from({ length: count }, (_, index) => row(index + 1));

export const work = (ImportId: string, cells: Cells): Cells => ({
  ImportId,
  EmployeeId: 'EMP-1',
  ItemType: 'Timed',
  State: 'Pending',
  IsBillable: '1',
  EntryDate: '2025-03-03T10:00:00.0000000',
  DurationTicks: '36000000000',
  Rate: '200.0000000000',
  RateCurrency: 'GBP',
  ...cells,
});
export const cost = (ImportId: string, cells: Cells): Cells => ({
  ImportId,
  MatterId: 'MAT-1',
  DisbursementCodeId: 'DC-1',
  Kind: 'CostRecovery',
  State: 'Pending',
  EntryDate: '2025-03-03T10:00:00.0000000',
  Quantity: '1.0000',
  UnitAmount: '5.0000',
  ...cells,
});
export const matter = (ImportId: string, cells: Cells): Cells => ({
  ImportId,
  DivisionId: 'D-1',
  Title: 'Lease',
  State: 'Open',
  DateOpened: '2025-01-01T00:00:00.0000000',
  ...cells,
});
export const rate = (ImportId: string, cells: Cells): Cells => ({
  ImportId,
  Scope: 'Client',
  Rate: '10',
  Per: 'Hour',
  EffectiveFrom: '2025-06-01',
  ...cells,
});
export const invoice = (ImportId: string, cells: Cells): Cells => ({
  ImportId,
  Number: ImportId,
  IssueDate: '2025-06-30',
  Currency: 'GBP',
  State: 'Issued',
  ...cells,
});

/** A small firm, with as many records of each kind as the tests change one by one in production. */
export const firm: StagedRows = {
  Division: [{ ImportId: 'D-1', Name: 'Property' }],
  MatterType: several(3, (n) => ({ ImportId: `MT-${n}`, Name: `Type ${n}` })),
  TaskType: several(3, (n) => ({
    ImportId: `TT-${n}`,
    Code: `XX${n}`,
    Name: 'Calls',
    ItemType: 'Timed',
    IsBillable: '1',
  })),
  DisbursementCode: several(2, (n) => ({
    ImportId: `DC-${n}`,
    Code: `XD${n}`,
    Name: 'Search',
    TaxCodeId: 'TAX-1',
  })),
  TaxCode: [
    { ImportId: 'TAX-1', Code: 'XT1', Name: 'Ours', Scheme: 'VAT', Category: 'Standard' },
    { ImportId: 'TAX-2', Code: 'XT2', Name: 'None', Scheme: 'VAT', Category: 'Zero' },
  ],
  TaxRate: [{ ImportId: 'TR-1', TaxCodeId: 'TAX-1', Percent: '20', FromDate: '2011-01-04' }],
  Entity: several(10, (n) => ({ ImportId: `ENT-${n}`, EntityType: 'Organisation', Name: `Mill ${n} Ltd` })),
  Employee: several(2, (n) => ({
    ImportId: `EMP-${n}`,
    EntityId: `ENT-${n}`,
    IsFeeEarner: '1',
    State: 'Active',
  })),
  Client: several(5, (n) => ({ ImportId: `CLI-${n}`, EntityId: `ENT-${n}`, State: 'Active' })),
  Matter: [
    ...several(5, (n) => matter(`MAT-${n}`, { ClientId: 'CLI-1' })),
    matter('MAT-OF-5', { ClientId: 'CLI-5' }),
  ],
  ApplicableRate: [
    rate('AR-1', { ScopeId: 'CLI-1', Rate: '12', EffectiveFrom: '2020-01-01', EffectiveTo: '2020-12-31' }),
  ],
  WorkItem: [
    ...several(5, (n) => work(`W-MAT-${n}`, { MatterId: `MAT-${n}`, TaskTypeId: 'TT-2', Units: '10.0000' })),
    work('W-BILLED', { MatterId: 'MAT-5', State: 'Billed' }),
  ],
  CostRecovery: [cost('C-1', { DisbursementCodeId: 'DC-2' })],
  Invoice: [invoice('I-1', { ClientId: 'CLI-1', MatterId: 'MAT-5', Total: '240.0000' })],
  InvoiceLine: [{ ImportId: 'L-1', InvoiceId: 'I-1', Kind: 'Fee', WorkItemId: 'W-BILLED' }],
};

/** A tenant that has imported {@link firm} and works with its records. */
export class ImportedFirm {
  private readonly parts: ReturnType<typeof promotionParts>;
  private readonly runs: Awaited<ReturnType<Imports['run']>>[] = [];

  private constructor(readonly imports: Imports) {
    this.parts = promotionParts(imports);
  }

  /** @param before changes the tenant before its first import */
  static async open(before?: (imports: Imports) => Promise<unknown>, rows = firm): Promise<ImportedFirm> {
    const imports = await openImports('uk');
    await before?.(imports);
    imports.runner.start();
    const opened = new ImportedFirm(imports);
    await opened.promote(rows);
    return opened;
  }

  async promote(rows: StagedRows) {
    const turn = await this.parts.staged((run) => stageRows(this.imports, run, rows));
    const arrived = await this.parts.promotion.promote(turn);
    expect(await this.parts.findings(turn)).toEqual([]);
    await this.parts.over(turn);
    return arrived;
  }

  idOf(table: string, importId: string) {
    return recordId(this.imports.tenant.streamId, 'Ledger', table, importId);
  }

  /** Appends an event to a record, as production does. */
  // biome-ignore lint/suspicious/noExplicitAny: any record's events
  async happens(definition: any, id: string, type: string, data: object = {}) {
    await this.imports.store.store.execute(this.imports.production, async (unit) => {
      const { found } = await unit.load({ found: at(definition, id as never) });
      return unit.change(definition, found as never, [{ type, data }] as never);
    });
  }

  /** Creates a record in production. @returns its id */
  // biome-ignore lint/suspicious/noExplicitAny: any record's events
  async begins(definition: any, kind: Parameters<typeof newId>[0], type: string, data: object) {
    const id = newId(kind);
    const event = { type, data: { ...data, externalReference: null, referenceOwner: null } };
    await this.imports.store.store.execute(this.imports.production, async (unit) =>
      unit.create(definition, id as never, [event] as never),
    );
    return id;
  }

  /** Stages the same source again, with more rows. */
  async stage(more: StagedRows, base = firm) {
    const run = await this.imports.run();
    this.runs.push(run);
    await stageRows(this.imports, run, together(base, more));
    return run;
  }

  /** The findings of the validation. */
  async found(more: StagedRows, base?: StagedRows): Promise<string[]> {
    const run = await this.stage(more, base);
    await validationOf(this.imports).validate(run);
    const rows = await this.imports.sql<{ found: string }>(
      `select concat_ws(' ', code, table_name, import_id, column_name) as found
       from import.findings where request_id = $1 order by 1`,
      [run.requestId],
    );
    await this.finish();
    return rows.map((row) => row.found);
  }

  /** Ends the staged runs, as a tenant has one at a time. */
  async finish() {
    for (const run of this.runs.splice(0)) await this.imports.finish(run);
  }

  async close() {
    await this.imports.close();
  }
}

/** Combines the rows of two sources, table by table. */
export function together(base: StagedRows, more: StagedRows): StagedRows {
  const tables = [...new Set([...Object.keys(base), ...Object.keys(more)])];
  return Object.fromEntries(tables.map((table) => [table, [...(base[table] ?? []), ...(more[table] ?? [])]]));
}
