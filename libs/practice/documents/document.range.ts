import { DomainError } from '#kernel/errors';

/** Bytes of a file, both ends included. */
export interface Range {
  first: number;
  last: number;
}

/**
 * The part that a `Range` header asks for; undefined: all of it. Several ranges, and what is no range, are passed over,
 * as they may be.
 * @see RFC 9110 section 14.2
 * @throws DomainError `range_not_satisfiable` (416)
 */
export function rangeOf(header: string | undefined, size: number): Range | undefined {
  const [, from, to] = /^bytes=(\d*)-(\d*)$/i.exec(header?.trim() ?? '') ?? [];
  if (from === undefined || (from === '' && to === '')) return undefined;
  const range =
    from === ''
      ? { first: Math.max(size - Number(to), 0), last: size - 1 }
      : { first: Number(from), last: to === '' ? size - 1 : Math.min(Number(to), size - 1) };
  // What ends before it begins is no range, whatever the size.
  if (from !== '' && to !== '' && Number(to) < Number(from)) return undefined;
  if (range.first > range.last) throw unsatisfiable(size);
  return range;
}

function unsatisfiable(size: number): DomainError {
  const detail = `The file has ${size} bytes, none of them in that range.`;
  const headers = { 'Content-Range': `bytes */${size}` };
  return new DomainError('unsatisfiable', 'range_not_satisfiable', detail, [], headers);
}
