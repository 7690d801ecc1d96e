import { conflict } from '#kernel/errors';

/** Replacements of letters and signs that Unicode does not decompose into an ASCII letter and its marks. */
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
 * and characters without an ASCII equivalent become `?`.
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
 * A text by which another system finds a record. It is never cut, since it could then name another record.
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
      `${field} of a LEDES file can have at most ${length} characters; "${written}" has ${written.length}.`,
    );
  }
  return written;
}
