/**
 * The words of a text as `keywords` compares them: runs of letters and digits in lower case. Both what is searched and
 * what is asked go through here, because PostgreSQL's own parser keeps `C/2024/001` or an e-mail address in one piece.
 */
export function wordsOf(text: string): string[] {
  return (
    text
      .normalize('NFKC')
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? []
  );
}

/** Longer ones are not found; PostgreSQL refuses a lexeme of 2 KiB. */
const LONGEST_WORD = 500;

/** The words of some texts as a tsvector; words are letters and digits only, so that they need no escapes. */
export function searchOf(texts: readonly (string | null | undefined)[]): string {
  return wordsOf(texts.filter(Boolean).join(' '))
    .filter(({ length }) => length <= LONGEST_WORD)
    .map((word) => `'${word}'`)
    .join(' ');
}

/** A tsquery for texts that have a word beginning with each of these. */
export function startingWith(words: readonly string[]): string {
  return words.map((word) => `'${[...word].slice(0, LONGEST_WORD).join('')}':*`).join(' & ');
}
