import { AnonymiseEntity, AnonymiseEntityHandler } from '#practice/entities/entity.anonymise';
import type { StagedRows } from '../testing/staged-rows';
import { firm, ImportedFirm } from './testing/imported-firm';

type Cells = Record<string, string>;
/** Cells by the key of the row that has them otherwise; null: it has none. */
type Changes = Record<string, Record<string, Record<string, string | null>>>;

const person = (ImportId: string): Cells => ({
  ...{ ImportId, EntityType: 'Individual', LastName: 'Reeve', FirstName: 'Ann' },
  Email: `${ImportId}@mill.example`,
});
const rows: StagedRows = {
  ...firm,
  Entity: [...firm.Entity, person('P-1'), person('P-2')],
  Client: [...firm.Client, { ImportId: 'CLI-P', EntityId: 'P-1', State: 'Active' }],
  Supplier: [{ ImportId: 'SUP-P', EntityId: 'P-1', State: 'Active' }],
  Employee: [...firm.Employee, { ImportId: 'EMP-P', EntityId: 'P-1', IsFeeEarner: '1', State: 'Active' }],
};
const left: Changes = {
  ...{ Client: { 'CLI-P': { State: 'Inactive' } }, Supplier: { 'SUP-P': { State: 'Inactive' } } },
  Employee: { 'EMP-P': { State: 'Inactive' } },
};

describe('people of an import whose data the tenant has erased since', () => {
  let office: ImportedFirm;

  beforeAll(async () => {
    office = await ImportedFirm.open(undefined, rows);
    const erasing = new AnonymiseEntityHandler(office.imports.store.store);
    for (const key of ['P-1', 'P-2'])
      await erasing.execute(new AnonymiseEntity(office.imports.production, office.idOf('Entity', key)));
  });
  afterAll(() => office?.close());

  it('are refused as rows that say something else of them', async () => {
    expect(await office.found({}, changed({ Entity: { 'P-2': { Phone: '020 7946 0000' } } }))).toEqual([
      'edited_since_import Entity P-2',
    ]);
    expect(await office.found({}, changed({ Client: { 'CLI-P': { PaymentTermsDays: '9' } } }))).toEqual([
      'edited_since_import Client CLI-P',
      'wrong_state Client CLI-P EntityId',
    ]);
  });

  it('may be inactive in the source too', async () => {
    expect(await office.found({}, changed(left))).toEqual([]);
  });
});

function changed(changes: Changes): StagedRows {
  const changedRow = (table: string, row: Cells): Cells => {
    const cells = Object.entries({ ...row, ...changes[table]?.[row.ImportId] });
    return Object.fromEntries(cells.flatMap(([column, cell]) => (cell === null ? [] : [[column, cell]])));
  };
  return Object.fromEntries(
    Object.entries(rows).map(([table, all]) => [table, all.map((row) => changedRow(table, row as Cells))]),
  );
}
