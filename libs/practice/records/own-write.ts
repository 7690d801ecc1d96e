import type { Loader } from '#event-store/loader';
import { DomainError, notFound } from '#kernel/errors';
import { type Id, kindOf } from '#kernel/ids';
import type { RequestContext } from '#platform/request-context';
import { readUntil } from './read-until';

const OWN_WRITE_MS = 1_000;

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
  const present = loader.versionOf(tenant.id, id);
  const [version, shown] = await readUntil(
    () => Promise.all([present, read()]),
    ([written, found]) => (found?.version ?? 0) >= written,
    OWN_WRITE_MS,
  );
  if (!shown && version > 0) {
    const detail = 'The record is there, but cannot be read yet; try again.';
    throw new DomainError('unavailable', 'position_not_reached', detail, [], { 'Retry-After': '1' });
  }
  if (!shown) throw notFound(kindOf(id) ?? 'record');
  return shown;
}
