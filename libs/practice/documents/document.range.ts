import { DomainError } from '#kernel/errors';

/** A range of a file's bytes, both ends included. */
export interface Range {
  first: number;
  last: number;
}

/**
 * The range that a `Range` header asks for; undefined: the whole file. Headers with several ranges, and invalid ones, are
 * ignored, as RFC 9110 allows.
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
  // A range that ends before it begins is invalid, whatever the size of the file.
  if (from !== '' && to !== '' && Number(to) < Number(from)) return undefined;
  if (range.first > range.last) throw unsatisfiable(size);
  return range;
}

function unsatisfiable(size: number): DomainError {
  const detail = `The file has ${size} bytes, none of them in that range.`;
  const headers = { 'Content-Range': `bytes */${size}` };
  return new DomainError('unsatisfiable', 'range_not_satisfiable', detail, [], headers);
}
