import { invalid } from '#kernel/errors';

/** Matches a NUL or half a surrogate pair as JSON.stringify writes it. A backslash in the text itself is doubled. */
const UNSTORABLE = /(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f])/;

/**
 * Converts a value to JSON in one line that PostgreSQL accepts.
 * @throws DomainError `invalid_text` for text that jsonb cannot store
 */
export function storedJson(value: unknown): string {
  const text = JSON.stringify(value);
  if (text.includes('\\u') && UNSTORABLE.test(text)) {
    throw invalid('invalid_text', 'A text contains a NUL character or half of a surrogate pair.');
  }
  return text;
}
