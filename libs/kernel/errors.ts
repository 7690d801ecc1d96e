/** Kinds of errors, independent of the transport. The HTTP layer maps each to a status. */
export type Fault =
  | 'malformed' // 400
  | 'unauthenticated' // 401
  | 'forbidden' // 403
  | 'not_found' // 404
  | 'timeout' // 408
  | 'conflict' // 409
  | 'precondition' // 412
  | 'too_large' // 413
  | 'unsatisfiable' // 416
  | 'invalid' // 422
  | 'too_many' // 429
  | 'unavailable'; // 503

/** One fault of a request: a JSON pointer (RFC 6901) into the body, a stable code, a sentence. */
export interface FieldError {
  pointer: string;
  code: string;
  message: string;
}

/** A refusal that the caller can understand and act on. `code` is stable, `detail` is a sentence for people. */
export class DomainError extends Error {
  constructor(
    readonly fault: Fault,
    readonly code: string,
    readonly detail: string,
    readonly errors: FieldError[] = [],
    readonly headers: Record<string, string> = {},
  ) {
    super(detail);
  }
}

/**
 * Two records that always change together contradict each other. They may have been changed between the two reads, so the
 * command is decided again. If they still disagree although nobody has changed them, it is a bug.
 */
export class RecordsDisagree extends Error {}

/** 400: the request itself cannot be understood. */
export function malformed(code: string, detail: string): DomainError {
  return new DomainError('malformed', code, detail);
}

/** 422: a rule refuses the body. `field` is the property's path, as `clientId` or `rate/Amount`. */
export function invalid(code: string, detail: string, field?: string): DomainError {
  const errors = field === undefined ? [] : [{ pointer: `/${field}`, code, message: detail }];
  return new DomainError('invalid', code, detail, errors);
}

/** 409: the record's present state refuses the request. */
export function conflict(code: string, detail: string): DomainError {
  return new DomainError('conflict', code, detail);
}

/** 404: no such record in this tenant. */
export function notFound(what: string): DomainError {
  return new DomainError('not_found', 'not_found', `No such ${what}.`);
}
