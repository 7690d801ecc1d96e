import { type CustomTypesConfig, type Pool, type QueryConfig, types } from 'pg';
import { DomainError } from '#kernel/errors';
import { exactTypes } from '#platform/database/connection';

/**
 * The maximum total length of a page's stored records or events. The largest possible record has 8 million. A page is parsed, converted
 * and written at once: one of a hundred invoices with a thousand long lines blocked the process for ten seconds.
 */
const MOST_CHARACTERS = 32_000_000;

const CODE = 'page_too_large';
/** The types of stored records and of events' data. */
const RECORDS: number[] = [types.builtins.JSON, types.builtins.JSONB];

/**
 * The rows of a page's statement. Rows beyond the limit are received without parsing them, and the page is refused at the
 * end: a failing statement would make the pool close the connection, with all its prepared plans.
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
      if (!RECORDS.includes(oid)) return parse;
      return (text: string) => {
        characters += text.length;
        return characters > MOST_CHARACTERS ? null : parse(text);
      };
    },
  } as CustomTypesConfig;
  const answered = await database.query<Row>({ ...statement, types }).catch((error: Error) => error);
  // Reported first, even if the statement has also timed out.
  if (characters > MOST_CHARACTERS) throw tooLarge();
  if (answered instanceof Error) throw answered;
  return answered.rows;
}

/** Whether an error is the refusal of `weighed`. */
export function isTooLarge(error: unknown): boolean {
  return error instanceof DomainError && error.code === CODE;
}

function tooLarge(): DomainError {
  const message = 'The records of this page are too long to be answered at once: ask for fewer by pageSize.';
  const errors = [{ pointer: '/pageSize', code: CODE, message }];
  return new DomainError('malformed', CODE, message, errors);
}
