import type { EventStore, Written } from '#event-store/event-store';
import type { Folded } from '#event-store/events';
import { toToken } from '#event-store/position';
import { prefersRepresentation } from '#platform/http/prefer';
import { Reply } from '#platform/http/reply';
import type { RequestContext } from '#platform/request-context';

export type Render<State extends object, View extends object> = (folded: Folded<State>) => View;

function headers({
  record,
  position,
  replayed,
}: Awaited<ReturnType<EventStore['execute']>>): Record<string, string> {
  return {
    ETag: `"${record.version}"`,
    ...(position && { 'X-Event-Position': toToken(position) }),
    ...(replayed && { 'Idempotent-Replayed': 'true' }),
  };
}

/** 201 with the record and its address. */
export function created<State extends object, View extends object>(
  context: RequestContext,
  area: string,
  written: Written<State>,
  render: Render<State, View>,
): Reply {
  const body = { success: true, data: render(written.record) };
  return new Reply(201, body, {
    ...headers(written),
    Location: `/${context.tenant.alias}/api/v1/${area}/${written.record.id}`,
  });
}

/** 200 with the record's id, or with the record when the client prefers it (RFC 7240). */
export function updated<State extends object, View extends object>(
  written: Written<State>,
  render: Render<State, View>,
  prefer: string | undefined,
): Reply {
  if (!prefersRepresentation(prefer)) {
    return new Reply(200, { success: true, data: written.record.id }, headers(written));
  }
  const body = { success: true, data: render(written.record) };
  return new Reply(200, body, { ...headers(written), 'Preference-Applied': 'return=representation' });
}

/** 200 with the record. */
export function acted<State extends object, View extends object>(
  written: Written<State>,
  render: Render<State, View>,
): Reply {
  return new Reply(200, { success: true, data: render(written.record) }, headers(written));
}

/** 204. */
export function removed<State extends object>(written: Written<State>): Reply {
  const { ETag: _, ...rest } = headers(written);
  return new Reply(204, undefined, rest);
}

/** 200 with what became of each record of a request over many. */
export function outcomes({
  outcome,
  position,
  replayed,
}: Pick<Written, 'outcome' | 'position' | 'replayed'>): Reply {
  return new Reply(
    200,
    { success: true, data: { rows: outcome } },
    {
      ...(position && { 'X-Event-Position': toToken(position) }),
      ...(replayed && { 'Idempotent-Replayed': 'true' }),
    },
  );
}
