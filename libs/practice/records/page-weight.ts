import { type CustomTypesConfig, types } from 'pg';
import { DomainError } from '#kernel/errors';
import { exactTypes } from '#platform/database';

/**
 * Of the records of a page, as they are kept; the largest there are have 8 million. They are parsed, viewed and written
 * as one: of a hundred invoices of a thousand long lines a page held everybody else up for ten seconds.
 */
const MOST_CHARACTERS = 32_000_000;

const CODE = 'page_too_large';
const RECORD = types.builtins.JSON;

/**
 * Parses what one page's statement answers with. Beyond the limit the statement fails, and its other rows are passed over
 * as they come.
 * @throws DomainError `page_too_large` (400)
 */
export function weighed(): CustomTypesConfig {
  let characters = 0;
  const counted = (parse: (text: string) => unknown) => (text: string) => {
    characters += text.length;
    if (characters > MOST_CHARACTERS) throw tooLarge();
    return parse(text);
  };
  return {
    getTypeParser: ((oid: number, format?: 'text' | 'binary') => {
      const parse = exactTypes.getTypeParser(oid, format);
      return oid === RECORD ? counted(parse) : parse;
    }) as typeof types.getTypeParser,
  };
}

/** Whether a statement failed as `weighed` has it fail. */
export function isTooLarge(error: unknown): boolean {
  return error instanceof DomainError && error.code === CODE;
}

function tooLarge(): DomainError {
  const message = 'The records of this page are too long to be answered at once: ask for fewer by pageSize.';
  const errors = [{ pointer: '/pageSize', code: CODE, message }];
  return new DomainError('malformed', CODE, message, errors);
}
