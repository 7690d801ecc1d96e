/** Reads the messages of clients. @see MS-TDS 2.2.6 */

export interface Login {
  readonly user: string;
  readonly password: string;
  readonly database: string;
  /** The packet size in bytes that the client wants. */
  readonly packetSize: number;
}

export interface Statement {
  readonly sql: string;
  readonly values: ReadonlyMap<string, string | null>;
  /** Whether it came by sp_executesql. */
  readonly isProcedure: boolean;
}

export const encryption = { off: 0, on: 1, notSupported: 2, required: 3 } as const;

const preloginOption = { version: 0, encryption: 1, terminator: 0xff } as const;

/** The encryption option of a PRELOGIN. */
export function encryptionAsked(data: Buffer): number {
  for (let at = 0; data[at] !== preloginOption.terminator; at += 5) {
    if (at + 5 > data.length) break;
    if (data[at] === preloginOption.encryption) return data[data.readUInt16BE(at + 1)];
  }
  throw new Error('A PRELOGIN says nothing of encryption');
}

export function preloginAnswer(encryptionOffered: number): Buffer {
  const version = [15, 0, 7, 208, 0, 0];
  const start = 2 * 5 + 1;
  return Buffer.from([
    preloginOption.version,
    0,
    start,
    0,
    version.length,
    preloginOption.encryption,
    0,
    start + version.length,
    0,
    1,
    preloginOption.terminator,
    ...version,
    encryptionOffered,
  ]);
}

/** Reads a LOGIN7. */
export function loginOf(data: Buffer): Login {
  const field = (at: number) => {
    const from = data.readUInt16LE(at);
    return Buffer.from(data.subarray(from, from + 2 * data.readUInt16LE(at + 2)));
  };
  return {
    packetSize: data.readUInt32LE(8),
    user: field(40).toString('utf16le'),
    password: plain(field(44)).toString('utf16le'),
    database: field(68).toString('utf16le'),
  };
}

/** Restores a password. The protocol obfuscates it, which does not protect it. */
function plain(disguised: Buffer): Buffer {
  return disguised.map((byte) => {
    const bits = byte ^ 0xa5;
    return ((bits << 4) | (bits >> 4)) & 0xff;
  }) as Buffer;
}

export function batchOf(data: Buffer): Statement {
  return { sql: withoutHeaders(data).toString('utf16le'), values: new Map(), isProcedure: false };
}

/** @returns undefined for calls of other procedures than sp_executesql */
export function procedureCallOf(data: Buffer): Statement | undefined {
  const reader = new ParameterReader(withoutHeaders(data));
  const executeSql = 10;
  if (reader.procedure() !== executeSql) return undefined;
  const parameters = reader.parameters();
  const [{ value: sql }] = parameters;
  // The second parameter declares the types of the following ones.
  const values = new Map(parameters.slice(2).map(({ name, value }) => [name.replace(/^@/, ''), value]));
  return { sql: sql ?? '', values, isProcedure: true };
}

function withoutHeaders(data: Buffer): Buffer {
  return data.subarray(data.readUInt32LE(0));
}

class ParameterReader {
  private at = 0;

  constructor(private readonly data: Buffer) {}

  procedure(): number | string {
    const length = this.u16();
    const procedure = length === 0xffff ? this.u16() : this.text(2 * length);
    this.at += 2; // options
    return procedure;
  }

  parameters(): { name: string; value: string | null }[] {
    const all: { name: string; value: string | null }[] = [];
    while (this.at < this.data.length) {
      const name = this.text(2 * this.u8());
      this.at += 1; // status
      all.push({ name, value: this.value() });
    }
    return all;
  }

  private value(): string | null {
    const type = this.u8();
    if (type === 0x26) return this.integer();
    if (type === 0xe7) return this.nvarchar();
    throw new Error(`A parameter is of type 0x${type.toString(16)}, which is none that an import uses`);
  }

  private integer(): string | null {
    this.at += 1; // the type's length
    const length = this.u8();
    if (length === 0) return null;
    const bytes = this.take(length);
    return String(length === 8 ? bytes.readBigInt64LE() : bytes.readIntLE(0, length));
  }

  private nvarchar(): string | null {
    const isMax = this.u16() === 0xffff;
    this.at += 5; // collation
    if (isMax) return this.partsOfMax();
    const length = this.u16();
    return length === 0xffff ? null : this.text(length);
  }

  private partsOfMax(): string | null {
    const total = this.take(8).readBigUInt64LE();
    if (total === 0xffff_ffff_ffff_ffffn) return null;
    const parts: Buffer[] = [];
    for (;;) {
      const length = this.take(4).readUInt32LE();
      if (length === 0) return Buffer.concat(parts).toString('utf16le');
      parts.push(this.take(length));
    }
  }

  private take(length: number): Buffer {
    if (this.at + length > this.data.length) throw new Error('A request ends before its end');
    this.at += length;
    return this.data.subarray(this.at - length, this.at);
  }

  private readonly u8 = () => this.take(1)[0];
  private readonly u16 = () => this.take(2).readUInt16LE();
  private readonly text = (bytes: number) => this.take(bytes).toString('utf16le');
}
