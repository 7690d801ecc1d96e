import { invalid } from '#kernel/errors';

/** A NUL, or half a surrogate pair, as JSON.stringify writes them; a backslash in the text itself comes doubled. */
const UNSTORABLE = /(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f])/;

/**
 * A value as JSON in one line, as PostgreSQL takes it.
 * @throws DomainError `invalid_text` for text that jsonb cannot hold
 */
export function storedJson(value: unknown): string {
  const text = JSON.stringify(value);
  if (text.includes('\\u') && UNSTORABLE.test(text)) {
    throw invalid('invalid_text', 'Text holds a NUL or half a surrogate pair.');
  }
  return text;
}
