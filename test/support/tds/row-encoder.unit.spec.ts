import { type Arbitrary, array, assert, asyncProperty, constant, integer, option, string } from 'fast-check';
import StreamParser from 'tedious/lib/token/stream-parser';
import { messageTypes, PacketCutter, PacketReader } from './packets';
import { RowEncoder } from './row-encoder';
import { columnsToken, type ResultColumn } from './tokens';

const columns: ResultColumn[] = [
  { name: 'key', kind: { text: 100 } },
  { name: 'code', kind: { text: 3, isFixed: true } },
  { name: 'long', kind: { text: 'max' } },
];
const text: Arbitrary<string> = string({ unit: 'binary' }).map((value) => value.replaceAll('\0', ''));
const row = array(option(text), { minLength: 3, maxLength: 3 });

/** Rows as PostgreSQL's COPY writes them. */
function copied(rows: (string | null)[][]): Buffer {
  const letters: Record<string, string> = {
    '\b': 'b',
    '\f': 'f',
    '\n': 'n',
    '\r': 'r',
    '\t': 't',
    '\v': 'v',
  };
  const field = (value: string | null) =>
    value === null
      ? '\\N'
      : value.replaceAll(/[\b\f\n\r\t\v\\]/g, (character) => `\\${letters[character] ?? '\\'}`);
  return Buffer.from(rows.map((values) => `${values.map(field).join('\t')}\n`).join(''));
}

/** Rows as the driver reads them. */
async function read(message: Buffer): Promise<unknown[][]> {
  const rows: unknown[][] = [];
  const options = { tdsVersion: '7_4' } as Parameters<typeof StreamParser.parseTokens>[2];
  const debug = { token() {} } as unknown as Parameters<typeof StreamParser.parseTokens>[1];
  for await (const token of StreamParser.parseTokens(chunks(message), debug, options)) {
    if (token?.name === 'ROW')
      rows.push((token as unknown as { columns: { value: unknown }[] }).columns.map((one) => one.value));
  }
  return rows;
}

async function* chunks(message: Buffer): AsyncGenerator<Buffer> {
  yield message;
}

it('gives the driver the values of PostgreSQL, wherever its text is split', async () => {
  const cuts = array(integer({ min: 1, max: 40 }), { minLength: 1 });
  await assert(
    asyncProperty(
      array(row, { maxLength: 20 }),
      cuts,
      integer({ min: 1, max: 7 }),
      async (rows, lengths, most) => {
        const encoder = new RowEncoder(columns);
        const message = [columnsToken(columns)];
        const source = copied(rows);
        for (let at = 0, part = 0; at < source.length; part++) {
          const length = lengths[part % lengths.length];
          encoder.push(source.subarray(at, at + length));
          at += length;
          for (let taken = encoder.take(most); taken.rows > 0; taken = encoder.take(most))
            message.push(Buffer.from(taken.bytes));
        }
        expect(await read(Buffer.concat(message))).toEqual(rows);
      },
    ),
  );
});

it('encodes numbers, and no more rows than requested', async () => {
  const numbers: ResultColumn[] = [
    { name: 'small', kind: 'int' },
    { name: 'large', kind: 'bigint' },
  ];
  const encoder = new RowEncoder(numbers);
  encoder.push(Buffer.from('-7\t-9223372036854775808\n\\N\t\\N\n1\t2\n'));
  const { bytes, rows } = encoder.take(2);
  expect(rows).toBe(2);
  const expected = [
    [-7, '-9223372036854775808'],
    [null, null],
  ];
  expect(await read(Buffer.concat([columnsToken(numbers), bytes]))).toEqual(expected);
});

it('refuses a text that is too long for an nvarchar', () => {
  const encoder = new RowEncoder(columns);
  encoder.push(copied([['x'.repeat(40_000), null, null]]));
  expect(() => encoder.take(1)).toThrow('longer');
});

it('cuts a message into packets that can be joined again', () => {
  const pieces = array(
    integer({ min: 0, max: 100 }).chain((length) => constant(Buffer.alloc(length, length))),
  );
  return assert(
    asyncProperty(
      pieces,
      integer({ min: 9, max: 64 }),
      integer({ min: 1, max: 64 }),
      async (parts, size, chunk) => {
        const cutter = new PacketCutter(messageTypes.result, size);
        const packets = Buffer.concat([
          ...parts.map((part) => cutter.cut(part)),
          cutter.flush(),
          cutter.end(Buffer.from('end')),
        ]);
        const messages: Buffer[] = [];
        const reader = new PacketReader(({ data }) => messages.push(data));
        for (let at = 0; at < packets.length; at += chunk) reader.push(packets.subarray(at, at + chunk));
        expect(messages).toEqual([Buffer.concat([...parts, Buffer.from('end')])]);
        expect(reader.isBetweenPackets).toBe(true);
      },
    ),
  );
});
