import { UNKNOWN_TYPE } from './document';

/** Content types that browsers never execute, whatever a file of that type contains. */
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

/** A quoted parameter, which may have any text, while a header can only have Latin-1. */
const QUOTED = / *; *[^;="]+="[^"]*"/g;
const IN_A_HEADER = /^[ -~\x80-\xff]*$/;

/**
 * The content type of a download: the document's own if it is harmless, with those parameters that a header can have;
 * otherwise `application/octet-stream`.
 */
export function downloadType(contentType: string): string {
  const [essence] = contentType.toLowerCase().split(';');
  const type = essence.trim();
  if (!harmless.has(type) && !OFFICE.test(type)) return UNKNOWN_TYPE;
  return contentType.replace(QUOTED, (parameter) => (IN_A_HEADER.test(parameter) ? parameter : ''));
}
