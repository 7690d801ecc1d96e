import type { FastifyReply } from 'fastify';
import { GraphQLError } from 'graphql';

const GONE = new GraphQLError('The client has gone.', {
  extensions: { code: 'SERVICE_UNAVAILABLE', reason: 'client_gone', http: { status: 503 } },
});

/** Comes when the client has its answer, or has closed its connection before; at once, where it had by now. */
export function departure({ raw }: Pick<FastifyReply, 'raw'>): AbortSignal {
  if (raw.closed) return AbortSignal.abort(GONE);
  const controller = new AbortController();
  raw.once('close', () => controller.abort(GONE));
  return controller.signal;
}
