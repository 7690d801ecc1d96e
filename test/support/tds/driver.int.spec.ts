import type { ConnectionPool } from 'mssql';
import { createTestDatabase, execute, type TestDatabase } from '../database';
import { connect, type Row, rowsOf, streamed } from './driver';
import { type Source, sourceFor } from './source';
import { createSourceTables } from './source-tables';

/** The columns of work items as an import reads them. */
const list = [
  '[ImportId] as [ImportId]',
  '[MatterId] as [MatterId]',
  'convert(nvarchar(40), [EntryDate], 126) as [EntryDate]',
  'convert(nvarchar(60), [DurationTicks]) as [DurationTicks]',
  'convert(nvarchar(60), [Units]) as [Units]',
  'convert(nvarchar(60), [Rate]) as [Rate]',
  '[RateCurrency] as [RateCurrency]',
  '[Title] as [Title]',
  'convert(nvarchar(10), [IsBillable]) as [IsBillable]',
  'convert(nvarchar(40), [WriteOffDate], 126) as [WriteOffDate]',
].join(', ');
const order = 'order by [ImportId] collate Latin1_General_BIN2';
const all = `select ${list} from [etl].[WorkItem] ${order}`;
const count = 50_000;

let database: TestDatabase;
let source: Source;
let pool: ConnectionPool;

beforeAll(async () => {
  database = await createTestDatabase();
  await createSourceTables(database.url);
  await execute(
    database.url,
    `insert into etl."WorkItem" ("ImportId", "MatterId", "EmployeeId", "ItemType", "EntryDate", "DurationTicks", "Units",
       "Rate", "RateCurrency", "Title", "State", "IsBillable", "WriteOffDate")
     select 'w' || lpad(i::text, 6, '0'), case when i % 3 = 0 then null else 'm' || i % 7 end, 'e', 'Timed',
       timestamp '2026-03-31T09:30:00' + case when i % 2 = 0 then interval '0' else i * interval '1 microsecond' end,
       9007199254740993 + i, i / 10000::numeric, 123456789.0123456789 + i, 'GBP',
       case i % 4 when 0 then null when 1 then '' when 2 then 'Zoë & 株式会社 😀 ' || i
         else repeat(E'\\t"quoted" \\\\N\\n', 30) end,
       'Pending', i % 2 = 0, case when i % 5 = 0 then date '2026-03-31' end
     from generate_series(1, $1::int) i`,
    [count],
  );
  await execute(
    database.url,
    `insert into etl."Info" values ('1', '1.0', 'Old', '2026-03-31T23:59:59', '2026-03-31', 'GBP', 'Europe/London')`,
  );
  source = await sourceFor(database.url);
  pool = await connected();
});
afterAll(async () => {
  await pool?.close();
  await source?.close();
  await database?.drop();
});

const connected = () =>
  connect(source.connectionString, { ca: source.caCertificate, requestTimeout: 120_000 });

/** A row as inserted above. */
function expected(i: number): Row {
  const fraction = i % 2 === 0 ? '' : `.${String(i).padStart(6, '0')}0`;
  const title = [null, '', `Zoë & 株式会社 😀 ${i}`, '\t"quoted" \\N\n'.repeat(30)][i % 4];
  return [
    `w${String(i).padStart(6, '0')}`,
    i % 3 === 0 ? null : `m${i % 7}`,
    `2026-03-31T09:30:00${fraction}`,
    String(9007199254740993n + BigInt(i)),
    (i / 10_000).toFixed(4),
    `${123456789 + i}.0123456789`,
    'GBP',
    title,
    i % 2 === 0 ? '1' : '0',
    i % 5 === 0 ? '2026-03-31' : null,
  ];
}

it('streams every row with every digit and character, in the order of keys', async () => {
  let seen = 0;
  const wrong: Row[] = [];
  await streamed(pool, all).run((row) => {
    seen++;
    const right = expected(seen);
    if (row.some((value, index) => value !== right[index])) wrong.push(row);
  });
  expect(wrong.slice(0, 3)).toEqual([]);
  expect(seen).toBe(count);
});

it('continues from a key', async () => {
  const sql = `select ${list} from [etl].[WorkItem] where [ImportId] collate Latin1_General_BIN2 >= @after ${order}`;
  expect(await rowsOf(pool, sql, { after: 'w049998' })).toEqual([49_998, 49_999, 50_000].map(expected));
  expect(await rowsOf(pool, sql, { after: 'x😀' })).toEqual([]);
});

it('counts rows, and lists the tables and columns', async () => {
  const { recordset: counts } = await pool.query('select count_big(*) as [rows] from [etl].[WorkItem]');
  expect(counts).toEqual([{ rows: String(count) }]);
  const columns = await rowsOf(
    pool,
    'select TABLE_NAME as [table], COLUMN_NAME as [column], DATA_TYPE as [type] from INFORMATION_SCHEMA.COLUMNS where TABLE_SCHEMA = @schema',
    { schema: 'etl' },
  );
  const types = Object.fromEntries(columns.map(([table, column, type]) => [`${table}.${column}`, type]));
  expect(types).toMatchObject({
    'WorkItem.ImportId': 'nvarchar',
    'WorkItem.RateCurrency': 'nchar',
    'WorkItem.Rate': 'decimal',
    'WorkItem.DurationTicks': 'bigint',
    'WorkItem.EntryDate': 'datetime2',
    'WorkItem.WriteOffDate': 'date',
    'WorkItem.IsBillable': 'bit',
    'ControlTotal.Count': 'int',
  });
});

it('gives the first rows of a table', async () => {
  const info = 'select top (2) convert(nvarchar(max), [SchemaVersion]) as [SchemaVersion] from [etl].[Info]';
  expect(await rowsOf(pool, info)).toEqual([['1.0']]);
  expect(await rowsOf(pool, `select top (2) ${list} from [etl].[WorkItem] ${order}`)).toEqual(
    [1, 2].map(expected),
  );
});

it('sends no more than is taken while the rows are paused', async () => {
  const { request, run } = streamed(pool, all);
  let seen = 0;
  let pauses = 0;
  await run(() => {
    if (++seen % 10_000 !== 0) return;
    request.pause();
    const atPause = seen;
    setImmediate(() => {
      if (seen === atPause) pauses++;
      request.resume();
    });
  });
  expect({ seen, pauses }).toEqual({ seen: count, pauses: 5 });
});

it('can be cancelled between rows, and the connection stays usable', async () => {
  const { request, run } = streamed(pool, all);
  let seen = 0;
  const done = run(() => {
    if (++seen === 100) request.cancel();
  });
  await expect(done).rejects.toMatchObject({ code: 'ECANCEL' });
  expect(seen).toBeLessThan(count);
  expect((await rowsOf(pool, all)).length).toBe(count);
});

it('serves two connections at once', async () => {
  const other = await connected();
  try {
    const both = await Promise.all([rowsOf(pool, all), rowsOf(other, all)]);
    for (const rows of both)
      expect([rows.length, rows[1], rows.at(-1)]).toEqual([count, expected(2), expected(count)]);
  } finally {
    await other.close();
  }
});

it.each([
  ['select [ImportId] as [ImportId] from [etl].[Nothing]', 208, "Invalid object name 'etl.Nothing'."],
  ['select [Nothing] as [Nothing] from [etl].[WorkItem]', 207, "Invalid column name 'Nothing'."],
  ['this, that', 102, 'Incorrect syntax near'],
])('%s is error %d', async (sql, number, message) => {
  await expect(rowsOf(pool, sql)).rejects.toMatchObject({
    number,
    message: expect.stringContaining(message),
  });
  await expect(rowsOf(pool, sql)).rejects.toMatchObject({ number });
});
