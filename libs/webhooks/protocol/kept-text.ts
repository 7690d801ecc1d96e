/** Arbitrary bytes as text that a column can hold: without NUL, and of at most `most` bytes of UTF-8. */
export function keptText(bytes: Buffer, most: number): string {
  // Bytes that are not UTF-8 become a character of three bytes, so the text can be longer than the bytes.
  const text = decode(bytes.subarray(0, most), bytes.length > most).replaceAll('\0', '\uFFFD');
  const encoded = Buffer.from(text);
  return encoded.length > most ? decode(encoded.subarray(0, most), true) : text;
}

/** @param isCut leaves out an incomplete character at the end */
function decode(bytes: Buffer, isCut: boolean): string {
  return new TextDecoder().decode(bytes, { stream: isCut });
}
