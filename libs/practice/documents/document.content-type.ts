import { UNKNOWN_TYPE } from './document';

/** Types that no browser runs anything of, whatever is in a file that claims to be of them. */
const harmless = new Set([
  'application/pdf',
  'application/rtf',
  'application/zip',
  'application/json',
  'application/msword',
  'application/vnd.ms-excel',
  'application/vnd.ms-outlook',
  'application/vnd.ms-powerpoint',
  'application/vnd.oasis.opendocument.text',
  'application/vnd.oasis.opendocument.spreadsheet',
  'audio/mpeg',
  'audio/mp4',
  'audio/wav',
  'video/mp4',
  'video/quicktime',
  'message/rfc822',
  'image/bmp',
  'image/gif',
  'image/heic',
  'image/jpeg',
  'image/png',
  'image/tiff',
  'image/webp',
  'text/csv',
  'text/plain',
  'text/rtf',
]);
const OFFICE = /^application\/vnd\.openxmlformats-officedocument\.\w+\.\w+$/;

/** A parameter that may hold any text, while a header holds only what Latin-1 has of it. */
const QUOTED = / *; *[^;="]+="[^"]*"/g;
const IN_A_HEADER = /^[ -~\x80-\xff]*$/;

/**
 * The type that a download has: the document's own when it is harmless, with those of its parameters that a header can
 * hold, else one that says nothing.
 */
export function downloadType(contentType: string): string {
  const [essence] = contentType.toLowerCase().split(';');
  const type = essence.trim();
  if (!harmless.has(type) && !OFFICE.test(type)) return UNKNOWN_TYPE;
  return contentType.replace(QUOTED, (parameter) => (IN_A_HEADER.test(parameter) ? parameter : ''));
}
