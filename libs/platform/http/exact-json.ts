const TEXT_OR_NUMBER = /("[^"\\]*(?:\\.[^"\\]*)*")|-?\d[\d.eE+-]*/g;
/** A text that stands for a number. In JSON that may be stored, no other text contains a NUL. */
const MARKED = /"\\u0000([^"]*)"/g;

/**
 * JSON that was parsed, without white space, and with each number as it was written. Of properties with the same name
 * only the last is kept, as in the parsed value: the others were never checked, not even for their depth.
 */
export function exactJson(json: string): string {
  const marked = json.replace(TEXT_OR_NUMBER, (part, text) => text ?? `"\\u0000${part}"`);
  return JSON.stringify(JSON.parse(marked)).replace(MARKED, '$1');
}
