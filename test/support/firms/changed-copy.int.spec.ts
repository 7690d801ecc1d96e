import { Client } from 'pg';
import { createTestDatabase, type TestDatabase } from '../database';
import { changedCopy } from './changed-copy';
import type { Firm } from './firm';
import { readFirm } from './read-firm';
import { allRows, incoherences, type Rows, recomputed } from './testing/coherence';
import { writeFirm } from './write-firm';

describe('changedCopy', () => {
  let database: TestDatabase;
  let client: Client;
  let before: Firm;
  let rows: Rows;
  beforeEach(async () => {
    database = await createTestDatabase();
    client = new Client(database.url);
    await client.connect();
    before = await writeFirm(client, { items: 400 });
    rows = await allRows(client);
  });
  afterEach(async () => {
    await client.end();
    await database.drop();
  });

  it('starts from a firm whose control totals agree with its rows', async () => {
    expect(await readFirm(client)).toEqual(before);
  });

  it('changes the requested number of rows, and no others', async () => {
    const { changes } = await changedCopy(client, { rows: 15, seed: 3 });
    expect(changes).toHaveLength(15);
    expect([...new Set(changes.map(({ table }) => table))].sort()).toEqual([
      'Client',
      'Entity',
      'Matter',
      'WorkItem',
    ]);
    const { ControlTotal: _, ...now } = await allRows(client);
    const different = Object.entries(now).flatMap(([table, of]) =>
      Object.entries(of).flatMap(([importId, row]) => {
        const columns = Object.keys(row).filter((name) => row[name] !== rows[table][importId]?.[name]);
        return columns.length > 0 ? [`${table} ${importId}`] : [];
      }),
    );
    expect(different.sort()).toEqual(changes.map(({ table, importId }) => `${table} ${importId}`).sort());
    for (const { table, importId, columns } of changes.filter(
      (change) => !change.importId.startsWith('WI-NEW'),
    ))
      for (const column of columns)
        expect(now[table][importId][column]).not.toEqual(rows[table][importId][column]);
  });

  it('keeps the firm coherent, and returns its new totals', async () => {
    const { firm } = await changedCopy(client, { rows: 60 });
    expect(await incoherences(client)).toEqual({});
    expect(await recomputed(client)).toEqual(firm);
    expect(await readFirm(client)).toEqual(firm);
    expect(firm.rows.WorkItem).toBeGreaterThan(before.rows.WorkItem);
    expect(Number(firm.unbilledWork.total.amount)).toBeGreaterThan(Number(before.unbilledWork.total.amount));
  });

  it('can change the same firm again', async () => {
    await changedCopy(client, { rows: 10, seed: 1 });
    const { firm, changes } = await changedCopy(client, { rows: 10, seed: 2 });
    expect(changes).toHaveLength(10);
    expect(await recomputed(client)).toEqual(firm);
    expect(await incoherences(client)).toEqual({});
  });

  it('changes a single row, if one is requested', async () => {
    const { changes, firm } = await changedCopy(client, { rows: 1 });
    expect(changes).toHaveLength(1);
    expect(firm.rows.WorkItem).toBe(before.rows.WorkItem + 1);
  });
});
