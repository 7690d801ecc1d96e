import { type CustomTypesConfig, type Pool, type QueryConfig, types } from 'pg';
import { DomainError } from '#kernel/errors';
import { exactTypes } from '#platform/database/connection';

/**
 * Of the records of a page, as they are kept; the largest there are have 8 million. They are parsed, viewed and written
 * as one: of a hundred invoices of a thousand long lines a page held everybody else up for ten seconds.
 */
const MOST_CHARACTERS = 32_000_000;

const CODE = 'page_too_large';
const RECORD = types.builtins.JSON;

/**
 * The rows that one page's statement answers with. Beyond the limit those that still come are not parsed; only then it
 * is refused: a pool ends the connection of a statement that fails, and with it all that was planned there.
 * @throws DomainError `page_too_large` (400)
 */
export async function weighed<Row extends object>(
  database: Pick<Pool, 'query'>,
  statement: QueryConfig,
): Promise<Row[]> {
  let characters = 0;
  const types = {
    getTypeParser(oid: number, format?: 'text') {
      const parse = exactTypes.getTypeParser(oid, format);
      if (oid !== RECORD) return parse;
      return (text: string) => {
        characters += text.length;
        return characters > MOST_CHARACTERS ? null : parse(text);
      };
    },
  } as CustomTypesConfig;
  const answered = await database.query<Row>({ ...statement, types }).catch((error: Error) => error);
  // Even if it took longer than a statement may.
  if (characters > MOST_CHARACTERS) throw tooLarge();
  if (answered instanceof Error) throw answered;
  return answered.rows;
}

/** Whether a page was refused as `weighed` refuses it. */
export function isTooLarge(error: unknown): boolean {
  return error instanceof DomainError && error.code === CODE;
}

function tooLarge(): DomainError {
  const message = 'The records of this page are too long to be answered at once: ask for fewer by pageSize.';
  const errors = [{ pointer: '/pageSize', code: CODE, message }];
  return new DomainError('malformed', CODE, message, errors);
}
