import { parse } from 'content-disposition';

/**
 * The name of a file whose part may name it twice: Apache HttpClient, .NET and Spring send `filename*` beside a stand-in
 * of ASCII, although forms should not have it (RFC 7578, section 4.2). It is preferred wherever it stands, if it can be
 * decoded (RFC 6266, section 4.3); of two names the parser takes the first or the last, as they are quoted.
 * @param disposition the part's header, a character for each byte
 * @param fileName the name that the parser has found
 * @returns the name without its folders
 */
export function fileNameOf(disposition: string, fileName: string | undefined): string | undefined {
  const { parameters } = parse(Buffer.from(disposition, 'latin1').toString());
  const name = 'filename*' in parameters ? (parameters.filename ?? fileName) : fileName;
  return name && withoutFolders(decoded(name));
}

/**
 * PHP sends the whole path, which a receiver must not use. Folders are left out here and not by the parser, as an encoded
 * name may contain slashes that are part of the code.
 * @see RFC 7578, section 4.2
 */
function withoutFolders(fileName: string): string {
  return fileName.replace(/^.*[/\\]/s, '');
}

/** Decodes a name that is not ASCII. .NET and Spring write it as encoded words of RFC 2047. */
function decoded(fileName: string): string {
  return fileName.replaceAll(
    /=\?utf-8\?([bq])\?([^?]*)\?=(?:\s+(?==\?))?/gi,
    (_word, encoding: string, text: string) => {
      if (encoding.toLowerCase() === 'b') return Buffer.from(text, 'base64').toString();
      const bytes = text
        .replaceAll('_', ' ')
        .replaceAll(/=([0-9a-f]{2})/gi, (_byte, hex: string) =>
          String.fromCharCode(Number.parseInt(hex, 16)),
        );
      return Buffer.from(bytes, 'latin1').toString();
    },
  );
}
