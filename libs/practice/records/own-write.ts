import { setTimeout as delay } from 'node:timers/promises';
import type { Loader } from '#event-store/loader';
import { DomainError, notFound } from '#kernel/errors';
import { type Id, kindOf } from '#kernel/ids';
import type { RequestContext } from '#platform/request-context';

const OWN_WRITE_MS = 1_000;
const POLL_MS = 4;

/**
 * Reads a record from read models, once they have caught up with its stream; waits 1 s at most.
 * @param read reads the record with its version; undefined while the read models do not have the record
 * @throws DomainError `not_found`; `position_not_reached` (503) when the record exists and is not shown in time
 */
export async function caughtUp<Shown extends { version: number }>(
  loader: Loader,
  { tenant }: RequestContext,
  id: Id,
  read: () => Promise<Shown | undefined>,
): Promise<Shown> {
  const [version, first] = await Promise.all([loader.versionOf(tenant.id, id), read()]);
  let shown: Shown | undefined = first;
  for (
    const end = performance.now() + OWN_WRITE_MS;
    (shown?.version ?? 0) < version && performance.now() < end;
  ) {
    await delay(POLL_MS);
    shown = await read();
  }
  if (!shown && version > 0) {
    const detail = 'The record is there, but cannot be read yet; try again.';
    throw new DomainError('unavailable', 'position_not_reached', detail, [], { 'Retry-After': '1' });
  }
  if (!shown) throw notFound(kindOf(id) ?? 'record');
  return shown;
}
