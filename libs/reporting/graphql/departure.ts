import type { FastifyReply } from 'fastify';
import { GraphQLError } from 'graphql';

const GONE = new GraphQLError('The client has gone.', {
  extensions: { code: 'SERVICE_UNAVAILABLE', reason: 'client_gone', http: { status: 503 } },
});

/**
 * A signal that aborts when the connection of the reply is closed: the client has its answer or has left. It is aborted
 * already when the connection was closed before this call.
 */
export function departure({ raw }: Pick<FastifyReply, 'raw'>): AbortSignal {
  if (raw.closed) return AbortSignal.abort(GONE);
  const controller = new AbortController();
  raw.once('close', () => controller.abort(GONE));
  return controller.signal;
}
