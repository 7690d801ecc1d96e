import { GraphQLError } from 'graphql';

/** The reason why a report request is refused. Clients branch on it. */
export type Reason =
  | 'UNKNOWN_COLUMN'
  | 'DUPLICATE_COLUMN'
  | 'UNKNOWN_AGG'
  | 'AGG_NOT_ALLOWED'
  | 'RANGE_INVALID'
  | 'SLICE_TOO_LARGE'
  | 'GROUP_KEYS_TOO_LONG'
  | 'GROUP_KEY_TYPE'
  | 'PIVOT_TOO_WIDE'
  | 'PIVOT_AT_LEAF'
  | 'NO_AGGREGATE'
  | 'UNKNOWN_PERIOD'
  | 'PERIOD_INVALID'
  | 'UNKNOWN_STATE'
  | 'UNKNOWN_WORK_ITEM_TYPE'
  | 'ID_INVALID'
  | 'INVALID_VALUE'
  | 'MIXED_CURRENCY';

/**
 * The error for a request that cannot be answered as asked: HTTP 400 with `extensions.code` BAD_USER_INPUT, the reason,
 * and the path of the fault in the arguments, as `slice.cols[2].colId`.
 */
export function refused(reason: Reason, path: string, message: string): GraphQLError {
  return new GraphQLError(message, {
    extensions: { code: 'BAD_USER_INPUT', reason, path, http: { status: 400 } },
  });
}

/** Quotes a client's text, shortened so that it fits into a message. */
export function quote(text: string): string {
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text);
}
