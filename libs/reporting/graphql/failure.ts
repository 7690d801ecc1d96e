import { type ApolloServerPlugin, HeaderMap } from '@apollo/server';
import { Logger } from '@nestjs/common';
import { GraphQLError, type GraphQLFormattedError } from 'graphql';
import { logFailure } from '#platform/http/failure-log';
import { toProblem } from '#platform/http/problem';
import type { ReportContext } from './report-context';
import { withFaultOfValue } from './value-fault';

const logger = new Logger('Reports');
const statementTimeout = '57014';
const OUR_SIDE = 'Something went wrong on our side.';

/**
 * Turns any failure of a report into the error that the client sees: never SQL or a stack trace. Logs failures of the
 * service.
 */
export function failure(error: unknown, traceId: string): GraphQLError {
  if (error instanceof GraphQLError) return error;
  if ((error as { code?: string })?.code === statementTimeout)
    return unavailable('report_timeout', 'The report took too long: narrow its criteria.', 503);
  const { status, headers, body } = toProblem(error, '', traceId);
  if (status >= 500) logFailure(logger, error, traceId);
  return unavailable(body.code, body.detail, status, headers['Retry-After']);
}

function unavailable(reason: string, message: string, status: number, retryAfter?: string): GraphQLError {
  const code = status === 503 ? 'SERVICE_UNAVAILABLE' : 'INTERNAL_SERVER_ERROR';
  const headers = new HeaderMap(retryAfter === undefined ? [] : [['retry-after', retryAfter]]);
  return new GraphQLError(message, { extensions: { code, reason, http: { status, headers } } });
}

/**
 * Errors that graphql reports without a code: the message that replaces the errors in variables after the fiftieth, and
 * an argument that is wrong only because a variable is null where the default was expected.
 */
const OF_VALUES = /^(?:Too many errors processing variables|Argument "(\w+)" )/;

/** Apollo answers it with status 200, which GraphQL over HTTP does not allow for an answer without data. */
const NOT_PERSISTED = 'PERSISTED_QUERY_NOT_SUPPORTED';

/** Whether neither a report nor a validation rule made the error: the fault is the service's. */
function isUnexpected({
  message,
  extensions,
}: Pick<GraphQLFormattedError, 'message' | 'extensions'>): boolean {
  const { code, reason } = extensions ?? {};
  if (OF_VALUES.test(message)) return false;
  return reason === undefined && (code === undefined || code === 'INTERNAL_SERVER_ERROR');
}

/** Masks an error so that a client may see it. */
export function masked(told: GraphQLFormattedError, error: unknown): GraphQLFormattedError {
  const ofValues = OF_VALUES.exec(told.message);
  if (ofValues)
    return { ...told, extensions: { code: 'BAD_USER_INPUT', reason: 'INVALID_VALUE', path: ofValues[1] } };
  return isUnexpected(told) ? { ...told, message: OUR_SIDE } : withFaultOfValue(told, error);
}

/** Logs unexpected errors and answers them with status 500. Answers errors in arguments with status 400. */
export const failuresPlugin: ApolloServerPlugin<ReportContext> = {
  async requestDidStart() {
    return {
      async didEncounterErrors({ errors, contextValue }) {
        for (const error of errors.filter(isUnexpected))
          logFailure(logger, error.originalError ?? error, contextValue.request.correlationId);
      },
      async willSendResponse({ errors, response }) {
        if (errors?.some(isUnexpected)) response.http.status = 500;
        else if (errors?.some(({ extensions }) => extensions.code === NOT_PERSISTED))
          response.http.status = 400;
        else if (errors?.some(({ message }) => OF_VALUES.test(message))) response.http.status ??= 400;
      },
    };
  },
};
