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
