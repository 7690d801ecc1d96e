import { escapeIdentifier, escapeLiteral } from 'pg';
import { REPLACEMENT } from '../../extraction/staged-rows';
import { tables } from '../../schema/schema-1.0';
import { cut } from '../checked-names';
import type { Rule } from '../rule';

const TEXTS = ['key', 'reference', 'text'];

/**
 * Warns of characters that PostgreSQL cannot store and that were replaced: no text changes without the firm's
 * knowledge.
 */
export const textRules: readonly Rule[] = tables.map(({ name: table, columns }): Rule => {
  const texts = columns.filter(({ type }) => TEXTS.includes(type));
  const cells = texts.map(({ name }) => `r.${escapeIdentifier(name)}`).join(', ');
  const names = texts.map(
    ({ name }) =>
      `case when ${hasReplacement(`t.${escapeIdentifier(name)}`)} then ${escapeLiteral(name)} end`,
  );
  return {
    code: 'replaced',
    table,
    message: `There is a character in {} that cannot be stored, a NUL or half of a surrogate pair; ${REPLACEMENT} is stored in its place. Correct the text.`,
    detail: `concat_ws(', ', ${names.join(', ')})`,
    rows: `from (select r.*, ${cut('r."ImportId"')} as import_id from "${table}" r
                 where ${hasReplacement(`concat(${cells})`)}) t`,
  };
});

function hasReplacement(text: string): string {
  return `strpos(${text}, ${escapeLiteral(REPLACEMENT)}) > 0`;
}
