import { conflict } from '#kernel/errors';

/** Letters and signs that do not come apart into an ASCII letter and its marks. */
const ascii: Readonly<Record<string, string>> = {
  '‘': "'",
  '’': "'",
  '‚': "'",
  '“': '"',
  '”': '"',
  '„': '"',
  '«': '"',
  '»': '"',
  '‐': '-',
  '‑': '-',
  '‒': '-',
  '–': '-',
  '—': '-',
  '−': '-',
  '•': '-',
  '·': '-',
  '×': 'x',
  '÷': '/',
  '±': '+/-',
  '§': 's.',
  '°': ' deg',
  '©': '(c)',
  '®': '(r)',
  '£': 'GBP ',
  '€': 'EUR ',
  '¥': 'JPY ',
  '¢': 'c',
  ß: 'ss',
  æ: 'ae',
  Æ: 'AE',
  œ: 'oe',
  Œ: 'OE',
  ø: 'o',
  Ø: 'O',
  ł: 'l',
  Ł: 'L',
  đ: 'd',
  Đ: 'D',
  ð: 'd',
  Ð: 'D',
  þ: 'th',
  Þ: 'Th',
  ı: 'i',
};

/**
 * Text that cannot break the file: one line of printable ASCII without the separator and the end of a record. `|`
 * becomes `/`, `[]` becomes `()`, line breaks, tabs and control characters become a blank, letters lose their accents,
 * and what has no likeness in ASCII becomes `?`.
 */
export function plain(given: string): string {
  return [...given.normalize('NFC')]
    .map((sign) => ascii[sign] ?? sign.normalize('NFKD').replace(/\p{M}/gu, ''))
    .join('')
    .replace(/[\s\p{Cc}\p{Cf}]+/gu, ' ')
    .replace(/[^ -~]/gu, '?')
    .replaceAll('|', '/')
    .replaceAll('[]', '()')
    .trim();
}

/** Text for people, cut where the field ends. */
export function prose(given: string | null, length: number): string {
  return plain(given ?? '')
    .slice(0, length)
    .trimEnd();
}

/**
 * What another system finds a record by. Cut short it could name another record, so it is refused instead.
 *
 * @throws DomainError 409 `ledes_field_too_long`; `ledes_field_missing` when required and empty
 */
export function key(field: string, given: string | null, length: number, required = true): string {
  const written = plain(given ?? '');
  if (required && written === '') {
    throw conflict('ledes_field_missing', `${field} of a LEDES file cannot be empty.`);
  }
  if (written.length > length) {
    throw conflict(
      'ledes_field_too_long',
      `${field} of a LEDES file holds ${length} characters; "${written}" has ${written.length}.`,
    );
  }
  return written;
}
