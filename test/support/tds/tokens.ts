/** The parts of a server's messages. @see MS-TDS 2.2.7 */

/** Characters of an nvarchar, `max` for nvarchar(max); or another type. */
export type ColumnKind = { text: number | 'max'; isFixed?: boolean } | 'int' | 'bigint';

export interface ResultColumn {
  readonly name: string;
  readonly kind: ColumnKind;
}

export interface ServerMessage {
  readonly number: number;
  readonly state?: number;
  /** Severity. Above 10 it is an error. */
  readonly level: number;
  readonly text: string;
}

/** SQL_Latin1_General_CP1_CI_AS, a server's default. */
const collation = Buffer.from([0x09, 0x04, 0xd0, 0x00, 0x34]);
const serverName = 'tds-test';

export const doneStatus = { final: 0, hasError: 0x02, hasCount: 0x10, isAttention: 0x20 } as const;
const doneTokens = { batch: 0xfd, procedure: 0xfe, inProcedure: 0xff } as const;

export const u8 = (value: number): Buffer => Buffer.from([value]);
export const u16 = (value: number): Buffer => fill(2, (buffer) => buffer.writeUInt16LE(value));
export const u32 = (value: number): Buffer => fill(4, (buffer) => buffer.writeUInt32LE(value));
const shortText = (text: string) => Buffer.concat([u8(text.length), Buffer.from(text, 'utf16le')]);
const longText = (text: string) => Buffer.concat([u16(text.length), Buffer.from(text, 'utf16le')]);

function fill(length: number, write: (buffer: Buffer) => void): Buffer {
  const buffer = Buffer.alloc(length);
  write(buffer);
  return buffer;
}

function measured(token: number, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  return Buffer.concat([u8(token), u16(content.length), content]);
}

export function columnsToken(columns: readonly ResultColumn[]): Buffer {
  const isNullable = 0x01;
  return Buffer.concat([
    u8(0x81),
    u16(columns.length),
    ...columns.flatMap(({ name, kind }) => [u32(0), u16(isNullable), typeInfo(kind), shortText(name)]),
  ]);
}

function typeInfo(kind: ColumnKind): Buffer {
  if (kind === 'int') return Buffer.from([0x26, 4]);
  if (kind === 'bigint') return Buffer.from([0x26, 8]);
  const bytes = kind.text === 'max' ? 0xffff : kind.text * 2;
  return Buffer.concat([u8(kind.isFixed ? 0xef : 0xe7), u16(bytes), collation]);
}

export function doneToken(of: keyof typeof doneTokens, status: number, rows = 0): Buffer {
  const select = 0xc1;
  const count = fill(8, (buffer) => buffer.writeBigUInt64LE(BigInt(rows)));
  return Buffer.concat([u8(doneTokens[of]), u16(status), u16(select), count]);
}

export function returnStatusToken(status: number): Buffer {
  return Buffer.concat([u8(0x79), u32(status)]);
}

/** An ERROR token, or an INFO token for a lower severity. */
export function messageToken({ number, state = 1, level, text }: ServerMessage): Buffer {
  const line = u32(1);
  const head = [u32(number), u8(state), u8(level)];
  return measured(
    level > 10 ? 0xaa : 0xab,
    ...head,
    longText(text),
    shortText(serverName),
    shortText(''),
    line,
  );
}

export function loginTokens({ database, packetSize }: { database: string; packetSize: number }): Buffer {
  const changedDatabase = `Changed database context to '${database}'.`;
  return Buffer.concat([
    measured(0xe3, u8(1), shortText(database), shortText('master')),
    messageToken({ number: 5701, state: 2, level: 0, text: changedDatabase }),
    measured(0xe3, u8(7), u8(collation.length), collation, u8(0)),
    measured(0xe3, u8(4), shortText(String(packetSize)), shortText('4096')),
    // T-SQL, version 7.4, a server of 2019
    measured(
      0xad,
      u8(1),
      Buffer.from([0x74, 0, 0, 4]),
      shortText('Microsoft SQL Server'),
      Buffer.from([15, 0, 7, 208]),
    ),
    doneToken('batch', doneStatus.final),
  ]);
}
