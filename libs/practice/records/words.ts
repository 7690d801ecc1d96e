/**
 * The words of a text as `keywords` compares them: runs of letters and digits in lower case. Both the searched texts and the
 * query are split here, because PostgreSQL's own parser keeps `C/2024/001` or an e-mail address in one piece.
 */
export function wordsOf(text: string): string[] {
  return (
    text
      .normalize('NFKC')
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? []
  );
}

/** Longer words are not indexed, and cut in queries: PostgreSQL refuses a lexeme of 2 KiB. */
const LONGEST_WORD = 500;

/** The words of some texts as a tsvector. Words consist of letters and digits only, so they need no escaping. */
export function searchOf(texts: readonly (string | null | undefined)[]): string {
  return wordsOf(texts.filter(Boolean).join(' '))
    .filter(({ length }) => length <= LONGEST_WORD)
    .map((word) => `'${word}'`)
    .join(' ');
}

/** A tsquery for the texts that have, for each of the given words, a word that begins with it. */
export function startingWith(words: readonly string[]): string {
  return words.map((word) => `'${[...word].slice(0, LONGEST_WORD).join('')}':*`).join(' & ');
}
