import { type ApolloServerPlugin, HeaderMap } from '@apollo/server';
import { Logger } from '@nestjs/common';
import { GraphQLError, type GraphQLFormattedError } from 'graphql';
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
  if (status === 500) log(error, traceId);
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

/**
 * What graphql says by no code: instead of the faults in variables that come after fifty, and of an argument that is
 * wrong only by a variable that is null where its default was expected.
 */
const OF_VALUES = /^(?:Too many errors processing variables|Argument "(\w+)" )/;

/** An error that no report and no rule made: one of ours. */
function isUnexpected({
  message,
  extensions,
}: Pick<GraphQLFormattedError, 'message' | 'extensions'>): boolean {
  const { code, reason } = extensions ?? {};
  if (OF_VALUES.test(message)) return false;
  return reason === undefined && (code === undefined || code === 'INTERNAL_SERVER_ERROR');
}

/** Errors as a client may see them. */
export function masked(told: GraphQLFormattedError, error: unknown): GraphQLFormattedError {
  const ofValues = OF_VALUES.exec(told.message);
  if (ofValues)
    return { ...told, extensions: { code: 'BAD_USER_INPUT', reason: 'INVALID_VALUE', path: ofValues[1] } };
  return isUnexpected(told) ? { ...told, message: OUR_SIDE } : withFaultOfValue(told, error);
}

/** Logs what was not expected, and makes it a 500; what is wrong with an argument a 400. */
export const failuresPlugin: ApolloServerPlugin<ReportContext> = {
  async requestDidStart() {
    return {
      async didEncounterErrors({ errors, contextValue }) {
        for (const error of errors.filter(isUnexpected))
          log(error.originalError ?? error, contextValue.request.correlationId);
      },
      async willSendResponse({ errors, response }) {
        if (errors?.some(isUnexpected)) response.http.status = 500;
        else if (errors?.some(({ message }) => OF_VALUES.test(message))) response.http.status ??= 400;
      },
    };
  },
};
