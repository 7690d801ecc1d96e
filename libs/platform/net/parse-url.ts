/**
 * The URL that a text is; undefined when it is none. `URL.canParse` does not serve: in Node 20 and 22 it takes letters
 * beyond ASCII for faults, once it was called some thousand times.
 */
export function parseUrl(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}
