import { HttpException } from '@nestjs/common';
import { DomainError, type Fault, type FieldError } from '#kernel/errors';
import { isOutage } from '../database/connection-lost';

const STATUS: Record<Fault, number> = {
  malformed: 400,
  unauthenticated: 401,
  forbidden: 403,
  not_found: 404,
  timeout: 408,
  conflict: 409,
  precondition: 412,
  too_large: 413,
  unsatisfiable: 416,
  invalid: 422,
  too_many: 429,
  unavailable: 503,
};

export const TITLES: Record<number, string> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  408: 'Request Timeout',
  409: 'Conflict',
  412: 'Precondition Failed',
  413: 'Content Too Large',
  415: 'Unsupported Media Type',
  416: 'Range Not Satisfiable',
  417: 'Expectation Failed',
  422: 'Unprocessable Content',
  429: 'Too Many Requests',
  431: 'Request Header Fields Too Large',
  500: 'Internal Server Error',
  503: 'Service Unavailable',
};

/** Codes of refusals that the HTTP layer itself produces. */
const CODES: Record<number, string> = {
  400: 'malformed_request',
  404: 'no_such_address',
  405: 'method_not_allowed',
  408: 'request_too_slow',
  413: 'body_too_large',
  415: 'unsupported_media_type',
  417: 'expectation_failed',
  431: 'headers_too_large',
};

/** The detail of a 415 whose own message only repeats the title. */
export const NOT_JSON = 'The body must be JSON, with Content-Type: application/json.';

/** `application/problem+json` (RFC 9457), with two further members that existing clients read. */
export interface Problem {
  type: string;
  title: string;
  status: number;
  detail: string;
  instance: string;
  code: string;
  errors: FieldError[];
  traceId: string;
  success: false;
  reason: string;
}

export interface ProblemAnswer {
  status: number;
  headers: Record<string, string>;
  body: Problem;
}

/** Converts any error to what a client sees of it: never a stack trace, SQL, or another tenant's data. */
export function toProblem(error: unknown, instance: string, traceId: string): ProblemAnswer {
  const { status, code, detail, errors, headers } = describe(error);
  return {
    status,
    headers: { ...headers, 'Content-Type': 'application/problem+json' },
    body: {
      type: 'about:blank',
      title: TITLES[status] ?? 'Error',
      status,
      detail,
      instance,
      code,
      errors,
      traceId,
      success: false,
      reason: detail,
    },
  };
}

function describe(error: unknown) {
  if (error instanceof DomainError) {
    return {
      status: STATUS[error.fault],
      code: error.code,
      detail: error.detail,
      errors: error.errors,
      headers: error.headers,
    };
  }
  const status =
    error instanceof HttpException ? error.getStatus() : (error as { statusCode?: number })?.statusCode;
  if (status !== undefined && status >= 400 && status < 500) {
    const { message } = error as Error;
    const own = status === 415 && message === TITLES[status] ? NOT_JSON : message;
    const detail = status === 404 ? 'There is nothing at this address.' : own;
    return { status, code: CODES[status] ?? 'refused', detail, errors: [], headers: {} };
  }
  if (isOutage(error)) {
    const headers = { 'Retry-After': '1' };
    return {
      status: 503,
      code: 'database_unavailable',
      detail: 'The database does not answer at the moment.',
      errors: [],
      headers,
    };
  }
  return {
    status: 500,
    code: 'internal_error',
    detail: 'Something went wrong on our side.',
    errors: [],
    headers: {},
  };
}
