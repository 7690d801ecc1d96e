import { DomainError } from '#kernel/errors';
import type { RequestContext } from './request-context';

/**
 * What a request changes is at a version that its If-Match names, if it has one.
 * @param what with its verb, as `The record is`
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

/** 412, which tells the version that there is. */
export function versionMismatch(version: number, what: string): DomainError {
  const detail = `${what} at version ${version}, which If-Match does not name.`;
  return new DomainError('precondition', 'version_mismatch', detail, [], { ETag: `"${version}"` });
}
