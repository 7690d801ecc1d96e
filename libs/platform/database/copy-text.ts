const [TAB, NEWLINE, SPACE, BACKSLASH, TILDE] = Buffer.from('\t\n \\~');
const NULL = '\\N';
const ESCAPED = /[\0\\\t\n\r]/g;
const ESCAPES: Record<string, string> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };
/** Up to this many characters, a loop is quicker than the call that writes a longer text. */
const SHORT = 48;
/** The most bytes that one UTF-16 character takes; an escape takes fewer. */
const MOST_BYTES = 3;
const INITIAL = 64 * 1024;

/**
 * Rows as the bytes of COPY's text format. A cell is written directly into the buffer: no string is made for it, and
 * escapes are searched only once.
 */
export class CopyText {
  private buffer = Buffer.alloc(0);
  private used = 0;
  /** The initial size of the next buffer, in bytes. */
  private expected = INITIAL;

  /** @param nul what is written for a NUL, which PostgreSQL refuses */
  constructor(private readonly nul = '\0') {}

  /** Bytes that wait to be taken. */
  get length(): number {
    return this.used;
  }

  cell(text: string | null): void {
    const value = text ?? NULL;
    this.reserve(value.length * MOST_BYTES + 1);
    if (text === null) this.write(NULL);
    else if (text.length > SHORT || !this.writePlain(text)) this.write(this.escaped(text));
    this.buffer[this.used++] = TAB;
  }

  /** Appends values to the current row and ends it; objects become JSON. */
  row(values: readonly unknown[]): void {
    for (const value of values) this.cell(textOf(value));
    this.endRow();
  }

  /** Ends a row of at least one cell. */
  endRow(): void {
    this.buffer[this.used - 1] = NEWLINE;
  }

  /** The bytes written since the last call. Later writes do not change them. */
  take(): Buffer {
    const taken = this.buffer.subarray(0, this.used);
    // The next text is most often as long.
    this.expected = Math.max(INITIAL, this.used);
    this.buffer = Buffer.alloc(0);
    this.used = 0;
    return taken;
  }

  /** Writes a text that is ASCII and needs no escape. @returns whether it was one */
  private writePlain(text: string): boolean {
    const { buffer } = this;
    let at = this.used;
    for (let index = 0; index < text.length; index++) {
      const code = text.charCodeAt(index);
      if (code < SPACE || code > TILDE || code === BACKSLASH) return false;
      buffer[at++] = code;
    }
    this.used = at;
    return true;
  }

  private write(text: string): void {
    this.used += this.buffer.write(text, this.used);
  }

  private escaped(text: string): string {
    return text.replace(ESCAPED, (char) => ESCAPES[char] ?? this.nul);
  }

  private reserve(bytes: number): void {
    if (this.used + bytes <= this.buffer.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(this.expected, 2 * this.buffer.length, this.used + bytes));
    this.buffer.copy(larger, 0, 0, this.used);
    this.buffer = larger;
  }
}

/** A value as a cell; objects are JSON. */
function textOf(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  if (typeof value === 'string') return value;
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
