import { type ApolloServerPlugin, HeaderMap } from '@apollo/server';
import { Logger } from '@nestjs/common';
import { GraphQLError, type GraphQLFormattedError } from 'graphql';
import { DomainError } from '#kernel/errors';
import { toProblem } from '#platform/http/problem';
import type { ReportContext } from './report-context';
import { withFaultOfValue } from './value-fault';

const statementTimeout = '57014';
const OUR_SIDE = 'Something went wrong on our side.';

/** Any failure of a report as what a client sees of it: never SQL or a stack trace. Failures of ours are logged. */
export function failure(error: unknown, traceId: string): GraphQLError {
  if (error instanceof GraphQLError) return error;
  if ((error as { code?: string })?.code === statementTimeout)
    return unavailable('report_timeout', 'The report took too long: narrow its criteria.', 503);
  const { status, headers, body } = toProblem(error, '', traceId);
  if (status >= 500 && !(error instanceof DomainError)) log(error, traceId);
  return unavailable(body.code, body.detail, status, headers['Retry-After']);
}

function log(error: unknown, traceId: string): void {
  new Logger('Reports').error({ msg: String(error), traceId, stack: (error as Error)?.stack });
}

function unavailable(reason: string, message: string, status: number, retryAfter?: string): GraphQLError {
  const code = status === 503 ? 'SERVICE_UNAVAILABLE' : 'INTERNAL_SERVER_ERROR';
  const headers = new HeaderMap(retryAfter === undefined ? [] : [['retry-after', retryAfter]]);
  return new GraphQLError(message, { extensions: { code, reason, http: { status, headers } } });
}

/** What graphql says, by no code, instead of the faults in variables that come after fifty. */
const AND_MORE = 'Too many errors processing variables';

/** An error that no report and no rule made: one of ours. */
function isUnexpected({
  message,
  extensions,
}: Pick<GraphQLFormattedError, 'message' | 'extensions'>): boolean {
  const { code, reason } = extensions ?? {};
  if (message.startsWith(AND_MORE)) return false;
  return reason === undefined && (code === undefined || code === 'INTERNAL_SERVER_ERROR');
}

/** Errors as a client may see them. */
export function masked(told: GraphQLFormattedError, error: unknown): GraphQLFormattedError {
  if (told.message.startsWith(AND_MORE))
    return { ...told, extensions: { code: 'BAD_USER_INPUT', reason: 'INVALID_VALUE' } };
  return isUnexpected(told) ? { ...told, message: OUR_SIDE } : withFaultOfValue(told, error);
}

/** Logs what was not expected, and makes it a 500. */
export const failuresPlugin: ApolloServerPlugin<ReportContext> = {
  async requestDidStart() {
    return {
      async didEncounterErrors({ errors, contextValue }) {
        for (const error of errors.filter(isUnexpected))
          log(error.originalError ?? error, contextValue.request.correlationId);
      },
      async willSendResponse({ errors, response }) {
        if (errors?.some(isUnexpected)) response.http.status = 500;
      },
    };
  },
};
