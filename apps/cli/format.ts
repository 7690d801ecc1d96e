type Answer = Record<string, unknown>;

/** Formats an answer for people: a list as a table, an object as a line for each property. */
export function format(answer: object): string {
  if (Array.isArray(answer)) return table(answer as Answer[]);
  const entries = Object.entries(answer);
  const width = Math.max(...entries.map(([name]) => name.length));
  return entries.map(([name, value]) => `${name.padEnd(width)}  ${text(value)}`).join('\n');
}

function table(rows: Answer[]): string {
  if (rows.length === 0) return 'None.';
  const names = Object.keys(rows[0]);
  const lines = [names, ...rows.map((row) => names.map((name) => text(row[name])))];
  const widths = names.map((_, column) => Math.max(...lines.map((line) => line[column].length)));
  return lines
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column]))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

function text(value: unknown): string {
  if (value === null || value === undefined) return '-';
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) return value.map(text).join(', ') || '-';
  return String(value);
}
