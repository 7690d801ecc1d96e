import { invalid } from '#kernel/errors';

/** A setting: its name as written, and its value without quotes. */
export interface Setting {
  name: string;
  value: string;
}

const MOST_CHARACTERS = 4096;
/** A setting up to its semicolon, as ADO.NET parses it. `==` in a name stands for `=`, a doubled quote for one quote. */
const PAIR =
  /\s*(?<name>(?:[^=;]|==)+?)\s*=(?!=)\s*(?:"(?<double>(?:[^"]|"")*)"|'(?<single>(?:[^']|'')*)'|(?<plain>[^"';\s][^;]*)?)\s*(?:;|$)/y;
const NOTHING = /[\s;]*/y;
/** The beginning of a URL, the form that JDBC and drivers of other languages use. */
const URL = /^\s*([a-z][a-z+]*:)+\/\//i;

/** The error 422 about a connection string. @param detail may quote the name of a setting, never a value */
export function refusedString(detail: string) {
  return invalid('invalid_connection_string', detail, 'connectionString');
}

/**
 * Splits a connection string of ADO.NET into its settings. A repeated setting is repeated in the result.
 * @see https://learn.microsoft.com/dotnet/framework/data/adonet/connection-string-syntax
 * @throws DomainError `invalid_connection_string`, which quotes nothing of the string
 */
export function splitConnectionString(text: string): Setting[] {
  if (text.length > MOST_CHARACTERS)
    throw refusedString(`The connection string is longer than ${MOST_CHARACTERS} characters.`);
  if (/\p{Cc}/u.test(text.replaceAll(/\s/g, '')))
    throw refusedString('The connection string has control characters.');
  if (URL.test(text))
    throw refusedString(
      'The connection string is a URL; write it as Server=host,port;Database=…;User ID=…;Password=… instead.',
    );
  const settings: Setting[] = [];
  for (let at = skip(text, 0); at < text.length; at = skip(text, at)) {
    PAIR.lastIndex = at;
    const groups = PAIR.exec(text)?.groups;
    if (!groups)
      throw refusedString(
        `Setting ${settings.length + 1} of the connection string is not name=value. Put a value that has a semicolon or quotation marks into quotation marks, and double those within it.`,
      );
    at = PAIR.lastIndex;
    settings.push({ name: groups.name.replaceAll('==', '='), value: unquoted(groups) });
  }
  return settings;
}

function unquoted({ double, single, plain = '' }: Record<string, string | undefined>): string {
  if (double !== undefined) return double.replaceAll('""', '"');
  if (single !== undefined) return single.replaceAll("''", "'");
  return plain.trimEnd();
}

function skip(text: string, at: number): number {
  NOTHING.lastIndex = at;
  NOTHING.exec(text);
  return NOTHING.lastIndex;
}
