import type { Address } from '../../entities/entity.events';
import { plain, prose } from './ledes-text';

/** An address in the six fields that the file has for it. */
export interface LedesAddress {
  first: string;
  second: string;
  city: string;
  region: string;
  postcode: string;
  country: string;
}

export function ledesAddress(address: Address | null): LedesAddress {
  const [first, second] = streetLines(address?.street ?? '');
  return {
    first,
    second,
    city: prose(address?.city ?? null, 40),
    region: prose(address?.region ?? null, 40),
    postcode: prose(address?.postcode ?? null, 20),
    country: countryCode(address?.country ?? ''),
  };
}

/** The street's own first line and the rest of it; one long line is broken between words. */
function streetLines(street: string): [first: string, second: string] {
  const [first = '', ...more] = street
    .split(/[\r\n]+/)
    .map(plain)
    .filter((line) => line !== '');
  const blank = first.length > 60 ? first.lastIndexOf(' ', 60) : -1;
  const [kept, over] = blank > 0 ? [first.slice(0, blank), [first.slice(blank + 1)]] : [first, []];
  return [prose(kept, 60), prose([...over, ...more].join(', '), 60)];
}

const english = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });
let codes: Map<string, string> | undefined;

/** Parts of the United Kingdom are written as countries in addresses, and have no code in ISO 3166-1. */
const parts = ['england', 'scotland', 'wales', 'northern ireland', 'great britain'];

/**
 * The ISO 3166-1 code for a code or an English name. Empty for anything else, as a cut name could be another
 * country's code.
 */
function countryCode(country: string): string {
  const given = country.trim();
  if (/^[a-z]{2}$/i.test(given)) {
    return regionCode(given);
  }
  if (/^[a-z]{3}$/i.test(given)) {
    return given.toUpperCase();
  }
  codes ??= codesByName();
  return codes.get(given.toLowerCase()) ?? '';
}

/** The code in force: GB for UK, DE for DD. */
function regionCode(code: string): string {
  return new Intl.Locale('und', { region: code }).region ?? '';
}

function codesByName(): Map<string, string> {
  const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
  const found = new Map(parts.map((part) => [part, 'GB']));
  for (const code of letters.flatMap((one) => letters.map((other) => one + other))) {
    const name = english.of(code);
    if (name !== undefined) {
      found.set(name.toLowerCase(), regionCode(code));
    }
  }
  return found;
}
