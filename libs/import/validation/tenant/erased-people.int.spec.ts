import { AnonymiseEntity, AnonymiseEntityHandler } from '#practice/entities/entity.anonymise';
import type { StagedRows } from '../../testing/staged-rows';
import { firm, ImportedFirm } from '../testing/imported-firm';

type Cells = Record<string, string>;
/** Changed cells by table, key of the row, and column; null removes the cell. */
type Changes = Record<string, Record<string, Record<string, string | null>>>;

const person = (ImportId: string): Cells => ({
  ImportId,
  EntityType: 'Individual',
  LastName: 'Reeve',
  FirstName: 'Ann',
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
  Client: { 'CLI-P': { State: 'Inactive' } },
  Supplier: { 'SUP-P': { State: 'Inactive' } },
  Employee: { 'EMP-P': { State: 'Inactive' } },
};
const more = { Supplier: [{ ImportId: 'N-1', EntityId: 'P-2', State: 'Active' }] };

describe('people of an import whose data the tenant has erased since', () => {
  let office: ImportedFirm;

  beforeAll(async () => {
    office = await ImportedFirm.open(undefined, rows);
    const erasing = new AnonymiseEntityHandler(office.imports.store.store);
    for (const key of ['P-1', 'P-2', 'ENT-10'])
      await erasing.execute(new AnonymiseEntity(office.imports.production, office.idOf('Entity', key)));
  });
  afterAll(() => office?.close());

  const name = (key: string) => `Erased ${office.idOf('Entity', key).slice(-4)}`;
  const takenOver = (): Changes => {
    const erased = (key: string) => ({ LastName: name(key), FirstName: null, Email: null });
    return { Entity: { 'P-1': erased('P-1'), 'P-2': erased('P-2'), 'ENT-10': { Name: name('ENT-10') } } };
  };

  it('are refused when rows about them have changed', async () => {
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

  it('may be erased in the source too', async () => {
    expect(await office.found({}, changed(takenOver()))).toEqual([]);
    expect(await office.found({}, changed({ ...takenOver(), ...left }))).toEqual([]);
    expect(await office.found(more, changed(takenOver()))).toEqual(['wrong_state Supplier N-1 EntityId']);
  });

  it('stay erased after the promotion of rows that show them erased, and cannot become suppliers', async () => {
    const before = await events();
    const source = changed({ ...takenOver(), ...left });
    expect(await office.promote(source)).toMatchObject({ created: 0 });
    expect(await events()).toEqual(before);
    expect(await office.found({}, source)).toEqual([]);
    expect(await office.found(more, source)).toEqual(['wrong_state Supplier N-1 EntityId']);
  });

  function events(): Promise<object[]> {
    return office.imports.sql(
      `select type, count(*)::int from event_store.events
       where tenant_id = $1 and type <> 'ImportPromoted' group by 1 order by 1`,
      [office.imports.tenant.id],
    );
  }
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
