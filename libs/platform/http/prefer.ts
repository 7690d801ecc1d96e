/** The text between two commas. A comma in quotes separates nothing. */
const ELEMENT = /(?:[^,"]|"(?:[^"\\]|\\.)*"?)+/g;
/** The preference of an element, before any parameters: a name, and a value with or without quotes. */
const PREFERENCE = /^\s*([^\s=;,"]+)(?:\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;,"]+)))?\s*(?:;|$)/;

/**
 * Whether a `Prefer` header asks for the record that a write makes: `return=representation`. Of several preferences
 * with one name the first counts.
 * @see RFC 7240 sections 2 and 4.2
 */
export function prefersRepresentation(prefer = ''): boolean {
  for (const [element] of prefer.matchAll(ELEMENT)) {
    const [, name, quoted, plain] = PREFERENCE.exec(element) ?? [];
    if (name?.toLowerCase() === 'return') return (quoted ?? plain)?.toLowerCase() === 'representation';
  }
  return false;
}
