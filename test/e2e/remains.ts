import { execute } from '../support/database';

interface Form {
  name: string;
  text: string;
}

/** The text in UTF-8 and in both byte orders of UTF-16, as latin1 shows the bytes. */
function encodingsOf(text: string): { name: string; bytes: Buffer }[] {
  const little = Buffer.from(text, 'utf16le');
  return [
    { name: 'UTF-8', bytes: Buffer.from(text) },
    { name: 'UTF-16LE', bytes: little },
    { name: 'UTF-16BE', bytes: Buffer.from(little).swap16() },
  ];
}

/**
 * The part of a base64 text that is certain where the bytes begin at an offset. Characters that also depend on other
 * bytes are left out.
 */
function insideOfBase64(bytes: Buffer, offset: number): string {
  const text = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64');
  return text.slice(Math.ceil((offset * 8) / 6), Math.floor(((offset + bytes.length) * 8) / 6));
}

/** Forms in which case does not matter. */
const plainForms = (word: string): Form[] =>
  encodingsOf(word.toLowerCase()).flatMap(({ name, bytes }) => [
    { name, text: bytes.toString('latin1') },
    { name: `${name} in hex`, text: bytes.toString('hex') },
  ]);
const upperHex = (word: string): Form[] =>
  encodingsOf(word).map(({ name, bytes }) => ({ name: `${name} in hex`, text: bytes.toString('hex') }));
const base64Forms = (word: string): Form[] =>
  [word, word.toLowerCase()]
    .flatMap(encodingsOf)
    .flatMap(({ name, bytes }) =>
      [0, 1, 2].map((offset) => ({ name: `${name} in base64`, text: insideOfBase64(bytes, offset) })),
    );

/** The words that a text contains in some form, as `where: word in form`. */
export function remainsIn(where: string, text: string, words: readonly string[]): string[] {
  const bytes = Buffer.from(text).toString('latin1');
  const small = bytes.toLowerCase();
  const found = words.flatMap((word) => {
    const forms = [
      ...[...plainForms(word), ...upperHex(word)].filter((form) => small.includes(form.text)),
      ...base64Forms(word).filter((form) => bytes.includes(form.text)),
    ];
    return forms.map(({ name }) => `${where}: ${word} in ${name}`);
  });
  return [...new Set(found)];
}

/** The same for all rows of a database, by table. */
export async function remainsInTables(url: string, words: readonly string[]): Promise<string[]> {
  const tables = await execute<{ name: string }>(
    url,
    `select c.oid::regclass::text as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where c.relkind in ('r', 'm') and n.nspname !~ '^(pg_|information_schema)' order by 1`,
  );
  if (tables.length < 40) throw new Error(`Only ${tables.length} tables were looked at`);
  const found: string[] = [];
  for (const { name } of tables) {
    const rows = await execute<{ text: string }>(url, `select t::text as text from ${name} t`);
    found.push(...remainsIn(name, rows.map(({ text }) => text).join('\n'), words));
  }
  return found;
}
