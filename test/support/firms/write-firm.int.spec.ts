import { Client } from 'pg';
import { createTestDatabase, type TestDatabase } from '../database';
import type { Firm } from './firm';
import { incoherences, recomputed } from './testing/coherence';
import { writeFirm } from './write-firm';

describe.each([
  [10, 'uk'],
  [200, 'uk'],
  [200, 'au'],
  [5_000, 'uk'],
  [5_000, 'au'],
] as const)('a firm of %i items in %s', (items, region) => {
  let database: TestDatabase;
  let client: Client;
  let firm: Firm;
  beforeAll(async () => {
    database = await createTestDatabase();
    client = new Client(database.url);
    await client.connect();
    firm = await writeFirm(client, { items, region });
  });
  afterAll(async () => {
    await client.end();
    await database.drop();
  });

  it('has that many items, and rows in every table', async () => {
    expect(firm.rows.WorkItem).toBe(items);
    expect(Object.entries(firm.rows).filter(([, rows]) => rows === 0)).toEqual([]);
    expect((await recomputed(client)).rows).toEqual(firm.rows);
  });

  it('has figures that agree with its rows', async () => {
    const { rows: _, ...figures } = firm;
    expect(await recomputed(client)).toMatchObject(figures);
  });

  it('breaks no rule', async () => {
    expect(await incoherences(client)).toEqual({});
  });
});
