const TEXT_OR_NUMBER = /("[^"\\]*(?:\\.[^"\\]*)*")|-?\d[\d.eE+-]*/g;
/** Of a text that stands for a number: in JSON that may be stored no other holds a NUL. */
const MARKED = /"\\u0000([^"]*)"/g;

/**
 * JSON that was parsed, without white space, each number as it was written. Of a name that comes twice only the last is
 * left, as of the value: nobody has looked at what the others hold, nor how deep it is.
 */
export function exactJson(json: string): string {
  const marked = json.replace(TEXT_OR_NUMBER, (part, text) => text ?? `"\\u0000${part}"`);
  return JSON.stringify(JSON.parse(marked)).replace(MARKED, '$1');
}
