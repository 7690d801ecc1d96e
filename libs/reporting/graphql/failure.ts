import { Logger } from '@nestjs/common';
import { GraphQLError } from 'graphql';
import { toProblem } from '#platform/http/problem';

const statementTimeout = '57014';

/** Any failure of a report as what a client sees of it: never SQL or a stack trace. Failures of ours are logged. */
export function failure(error: unknown, traceId: string): GraphQLError {
  if (error instanceof GraphQLError) return error;
  if ((error as { code?: string })?.code === statementTimeout)
    return unavailable('report_timeout', 'The report took too long: narrow its criteria.', 503);
  const { status, body } = toProblem(error, '', traceId);
  if (status >= 500)
    new Logger('Reports').error({ msg: String(error), traceId, stack: (error as Error)?.stack });
  return unavailable(body.code, body.detail, status);
}

function unavailable(reason: string, message: string, status: number): GraphQLError {
  const code = status === 503 ? 'SERVICE_UNAVAILABLE' : 'INTERNAL_SERVER_ERROR';
  return new GraphQLError(message, { extensions: { code, reason, http: { status } } });
}
