import { setTimeout } from 'node:timers/promises';
import { Client } from 'pg';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database';
import { CopyStream, copyText } from './copy-rows';
import { CopyText } from './copy-text';

describe('copying rows', () => {
  let test: TestDatabase;
  let client: Client;

  beforeAll(async () => {
    test = await createTestDatabase();
    client = new Client(test.url);
    await client.connect();
    await client.query(`create temporary table target (
      id integer, t text, j jsonb, n numeric, b boolean, i bigint, at timestamptz, u uuid)`);
  });
  beforeEach(() => client.query('truncate target'));
  afterAll(async () => {
    await client.end();
    await test.drop();
  });

  const read = async (column: string) =>
    (await client.query(`select ${column} as value from target order by id`)).rows.map(({ value }) => value);
  const copyRows = (target: string, rows: readonly unknown[][]) => {
    const text = new CopyText();
    for (const row of rows) text.row(row);
    return copyText(client, target, text);
  };
  const copy = (column: string, values: unknown[]) =>
    copyRows(
      `target (id, ${column})`,
      values.map((value, id) => [id, value]),
    );

  it('gives every text back as it was', async () => {
    const controls = Array.from({ length: 31 }, (_, index) => String.fromCharCode(index + 1));
    const texts = [
      '',
      ' ',
      'plain',
      '\\',
      '\\\\',
      '\\N',
      '\\.',
      '\n\\.\n',
      '\\n',
      '\\x41',
      '\\101',
      'a\\',
      '\\\t',
      'tab\tnew\nline\rreturn\r\n',
      '"quoted"',
      "it's",
      'a,b;c|d',
      'NULL',
      'null',
      '{}',
      '\u007f',
      'Zoë',
      'Łódź',
      '日本語',
      '👩‍⚖️',
      '\u2028\u2029',
      '\ufeff',
      '\uffff',
      'e\u0301',
      ...controls,
      controls.join(''),
    ];
    await copy('t', texts);
    expect(await read('t')).toEqual(texts);
  });

  it('gives JSON back as it was, and null as null', async () => {
    const values = [
      { text: 'a "quote", a \\ and a\nline\ttab \u0001', list: [1, null, true, { deep: '\\n' }], empty: {} },
      [],
      null,
      undefined,
      { 'key\n\\': 'Zoë 👩‍⚖️' },
    ];
    await copy('j', values);
    expect(await read('j')).toEqual(values.map((value) => value ?? null));
    expect(await read('j is null')).toEqual([false, false, true, true, false]);
  });

  it('gives numbers, truth values, instants and ids back', async () => {
    const at = '2026-03-31T23:59:59.123Z';
    const id = '018f2c5e-1111-7abc-8def-0123456789ab';
    await copyRows('target (id, n, b, i, at, u)', [
      [1, '12345678901234567890.0001', true, 9007199254740993n, at, id],
      [2, -0.5, false, '-9223372036854775808', at, id],
      [3, 1e21, null, null, null, null],
    ]);
    expect(await read('n')).toEqual(['12345678901234567890.0001', '-0.5', '1000000000000000000000']);
    expect(await read('b')).toEqual([true, false, null]);
    expect(await read('i')).toEqual(['9007199254740993', '-9223372036854775808', null]);
    expect(await read('at')).toEqual([new Date(at), new Date(at), null]);
    expect(await read('u')).toEqual([id, id, null]);
  });

  it('copies no rows at all, and more than the initial buffer holds', async () => {
    await copy('t', []);
    expect(await read('t')).toEqual([]);
    const long = Array.from({ length: 3_000 }, (_, index) => `${index} `.padEnd(100, 'ö\t'));
    // The first text fills the initial buffer to the last character.
    const texts = ['x'.repeat(64 * 1024 - 3), ...long, 'y'.repeat(300_000), ''];
    await copy('t', texts);
    expect(await read('t')).toEqual(texts);
  });

  it('says which line is refused, and leaves the connection usable and the table as it was', async () => {
    await expect(copy('n', ['1', '2', 'three'])).rejects.toMatchObject({
      code: '22P02',
      where: expect.stringContaining('line 3'),
    });
    await expect(copy('t', ['a\u0000b'])).rejects.toMatchObject({ code: '22021' });
    await expect(copyRows('target (id, nothing)', [[1, 2]])).rejects.toMatchObject({ code: '42703' });
    expect(await read('id')).toEqual([]);
  });

  it('reports a refusal that comes between two writes by the second one', async () => {
    const stream = new CopyStream(client, 'target (id)');
    await stream.write(Buffer.from('no number\n'));
    await setTimeout(500);
    await expect(stream.write(Buffer.from('1\n'))).rejects.toMatchObject({ code: '22P02' });
    await expect(stream.end()).rejects.toMatchObject({ code: '22P02' });
    expect(await read('id')).toEqual([]);
  });

  it('does not crash the process when it fails a second time because its connection ends', async () => {
    const silent = new Client({ connectionString: test.url, query_timeout: 100 });
    silent.on('error', () => undefined);
    await silent.connect();
    await silent.query('create temporary table target (id integer)');
    const stream = new CopyStream(silent, 'target');
    await setTimeout(300);
    await expect(stream.end()).rejects.toThrow('Query read timeout');
    // The copy under way fails once more, with its connection.
    await silent.end();
    await new Promise((resolve) => setImmediate(resolve));
  });
});
