/** Text of bytes that may be anything, as a column can hold it: no NUL, and at most so many bytes of UTF-8. */
export function keptText(bytes: Buffer, most: number): string {
  // In place of what is no UTF-8 comes a character of three bytes, and so the text can be longer than the bytes.
  const text = decode(bytes.subarray(0, most), bytes.length > most).replaceAll('\0', '\uFFFD');
  const encoded = Buffer.from(text);
  return encoded.length > most ? decode(encoded.subarray(0, most), true) : text;
}

/** @param isCut without the character that the cut went through */
function decode(bytes: Buffer, isCut: boolean): string {
  return new TextDecoder().decode(bytes, { stream: isCut });
}
