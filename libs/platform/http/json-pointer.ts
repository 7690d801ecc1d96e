/** A name within a JSON pointer (RFC 6901). */
export function pointed(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}
