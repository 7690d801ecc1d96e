import { UNKNOWN_TYPE } from './document';

/** Types that no browser runs anything of, whatever is in a file that claims to be of them. */
const harmless = new Set([
  ...['application/pdf', 'application/rtf', 'application/zip', 'application/json', 'application/msword'],
  ...['application/vnd.ms-excel', 'application/vnd.ms-outlook', 'application/vnd.ms-powerpoint'],
  ...['application/vnd.oasis.opendocument.text', 'application/vnd.oasis.opendocument.spreadsheet'],
  ...['audio/mpeg', 'audio/mp4', 'audio/wav', 'video/mp4', 'video/quicktime', 'message/rfc822'],
  ...['image/bmp', 'image/gif', 'image/heic', 'image/jpeg', 'image/png', 'image/tiff', 'image/webp'],
  ...['text/csv', 'text/plain', 'text/rtf'],
]);
const OFFICE = /^application\/vnd\.openxmlformats-officedocument\.\w+\.\w+$/;

/** The type that a download has: the document's own when it is harmless, else one that says nothing. */
export function downloadType(contentType: string): string {
  const [essence] = contentType.toLowerCase().split(';');
  const type = essence.trim();
  return harmless.has(type) || OFFICE.test(type) ? contentType : UNKNOWN_TYPE;
}
