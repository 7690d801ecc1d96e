import { Client } from 'pg';
import { SOURCE_SCHEMA, tables } from '#import/schema/schema-1.0';
import { createTestDatabase, type TestDatabase } from '../database';
import type { FirmOptions } from './firm';
import { allRows, incoherences, type Rows } from './testing/coherence';
import { writeFirm } from './write-firm';

describe('a generated firm of 200 items', () => {
  let database: TestDatabase;
  let client: Client;
  beforeAll(async () => {
    database = await createTestDatabase();
    client = new Client(database.url);
    await client.connect();
  });
  afterAll(async () => {
    await client.end();
    await database.drop();
  });

  const made = async (options: Partial<FirmOptions> = {}): Promise<Rows> => {
    await client.query(`drop schema if exists ${SOURCE_SCHEMA} cascade`);
    await writeFirm(client, { items: 200, ...options });
    return allRows(client);
  };

  it('is the same for the same seed, and different for another', async () => {
    const first = await made({ seed: 7 });
    expect(await made({ seed: 7 })).toEqual(first);
    expect((await made({ seed: 8 })).WorkItem).not.toEqual(first.WorkItem);
  });

  it('has every value of every choice, except those of the other region', async () => {
    const missing = (rows: Rows) =>
      tables.flatMap(({ name, columns }) =>
        columns.flatMap((column) => {
          const found = new Set(Object.values(rows[name]).map((row) => row[column.name]));
          return (column.values ?? [])
            .filter((value) => !found.has(value))
            .map((value) => `${name}.${column.name} ${value}`);
        }),
      );
    expect(missing(await made())).toEqual(['TaxCode.Scheme GST']);
    expect(missing(await made({ region: 'au' }))).toEqual(['TaxCode.Scheme VAT', 'TaxCode.Category Reduced']);
  });

  it('has every optional column both filled and empty', async () => {
    const rows = await made();
    const never = tables.flatMap(({ name, columns }) =>
      columns
        .filter(({ isRequired }) => !isRequired)
        .flatMap((column) => {
          const values = Object.values(rows[name]).map((row) => row[column.name]);
          if (!values.some((value) => value !== null)) return [`${name}.${column.name} is never filled`];
          return values.some((value) => value === null) ? [] : [`${name}.${column.name} is never empty`];
        }),
    );
    // A total without its count would not tell how many rows there are.
    expect(never).toEqual(['ControlTotal.Count is never empty']);
  });

  it('has difficult texts, and rates with all their decimal places', async () => {
    const { WorkItem, Entity } = await made();
    const titles = Object.values(WorkItem).map(({ Title }) => Title ?? '');
    for (const part of ['\t', '\n', '\\N', '"', "'", '株式会社', '👩🏽‍⚖️'])
      expect(titles.filter((title) => title.includes(part))).not.toEqual([]);
    expect(titles.some((title) => title.length === 500)).toBe(true);
    const names = Object.values(Entity).map(({ LastName }) => LastName);
    expect(names).toEqual(expect.arrayContaining(["O'Brien", 'Müller-Lüdenscheidt']));
    expect(Object.values(WorkItem).some(({ Rate }) => /[1-9]$/.test(Rate!))).toBe(true);
  });

  it('has invoices from periods of different tax rates', async () => {
    const { Invoice } = await made();
    const years = Object.values(Invoice).flatMap(({ IssueDate }) =>
      IssueDate ? Number(IssueDate.slice(0, 4)) : [],
    );
    expect(years.filter((year) => year < 2011)).not.toEqual([]);
    expect(years.filter((year) => year > 2011)).not.toEqual([]);
  });

  it('ends on the requested day', async () => {
    const { Info, WorkItem, Payment } = await made({ cutover: '2024-06-30' });
    expect(Object.values(Info)[0].CutoverDate).toBe('2024-06-30');
    const days = Object.values(WorkItem).map(({ EntryDate }) => EntryDate!.slice(0, 10));
    const paid = Object.values(Payment).map(({ Date: day }) => day!);
    const last = [...days, ...paid].sort().at(-1)!;
    expect(last <= '2024-06-30' && last > '2024-05').toBe(true);
    expect(await incoherences(client)).toEqual({});
  });
});
