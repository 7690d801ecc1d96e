import type { FastifyReply } from 'fastify';
import type { RequestContext } from '../request-context';

/** The answer of a controller: status, headers, and the body or none. A stream is sent as it is read. */
export class Reply {
  constructor(
    readonly status: number,
    readonly body: unknown,
    readonly headers: Record<string, string> = {},
  ) {}
}

/** 200 with a value under `data`. */
export function data(value: unknown, headers: Record<string, string> = {}): Reply {
  return new Reply(200, { success: true, data: value }, headers);
}

export interface Page<Row> {
  rows: Row[];
  pageIndex: number;
  pageSize: number;
  hasMore: boolean;
  totalCount?: number;
}

/** `RateLimit-Policy` and `RateLimit` (draft-ietf-httpapi-ratelimit-headers) of a counted request. */
export function setRateLimitHeaders(reply: FastifyReply, context: RequestContext | undefined): void {
  if (context) void reply.headers(context.rateLimitHeaders());
}
