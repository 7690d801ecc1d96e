import { CopyText } from './copy-text';

function rowsOf(text: CopyText, rows: (string | null)[][]): string {
  for (const row of rows) {
    for (const cell of row) text.cell(cell);
    text.endRow();
  }
  return text.take().toString();
}

describe("COPY's text", () => {
  it('escapes what would end a cell or a row, in short texts and in long ones', () => {
    const long = 'x'.repeat(60);
    expect(rowsOf(new CopyText(), [['a\tb', null, ''], [`${long}\\\n\r`]])).toBe(
      `a\\tb\t\\N\t\n${long}\\\\\\n\\r\n`,
    );
  });

  it('puts the given replacement in the place of a NUL', () => {
    expect(rowsOf(new CopyText('?'), [['a\0b', `${'x'.repeat(60)}\0`]])).toBe(`a?b\t${'x'.repeat(60)}?\n`);
  });

  it('does not change text that was taken before, and grows as more is written', () => {
    const text = new CopyText();
    const first = '日本語 👩‍⚖️ '.repeat(9_000);
    text.cell(first);
    text.endRow();
    const taken = text.take();
    expect(text.length).toBe(0);
    expect(rowsOf(text, [['Zoë', 'ab']])).toBe('Zoë\tab\n');
    expect(taken.toString()).toBe(`${first}\n`);
  });
});
