import { DomainError } from '#kernel/errors';
import type { RequestContext } from './request-context';

/**
 * Requires that If-Match, if the request has one, names the current version of what the request changes.
 * @param what its name and verb, such as `The record is`
 * @throws DomainError `version_mismatch` (412)
 */
export function requireMatch(
  { ifMatch }: Pick<RequestContext, 'ifMatch'>,
  version: number,
  what: string,
): void {
  if (ifMatch === undefined || ifMatch === '*' || ifMatch.includes(String(version))) return;
  throw versionMismatch(version, what);
}

/** 412 with the current version. */
export function versionMismatch(version: number, what: string): DomainError {
  const detail = `${what} at version ${version}, which If-Match does not name.`;
  return new DomainError('precondition', 'version_mismatch', detail, [], { ETag: `"${version}"` });
}
