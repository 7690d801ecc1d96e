import * as fc from 'fast-check';
import { ledesAddress } from './ledes-address';
import { key, plain, prose } from './ledes-text';

/** Text of any characters. `fc.string` with them would first build a map of all characters, which takes seconds. */
const text = fc.array(fc.integer({ min: 0, max: 0x10ffff })).map((points) => String.fromCodePoint(...points));

describe('text in a LEDES file', () => {
  it.each([
    ['a separator', 'either|or', 'either/or'],
    ['the end of a record', 'see [] and [sic]', 'see () and [sic]'],
    ['the end of a record, divided by a control character', 'see [\u0000]', 'see [ ]'],
    ['line breaks and tabs', ' one\r\n\ttwo\u2028three\vfour ', 'one two three four'],
    ['invisible characters', 'no\u00a0break, soft\u00adhyphen, \ufeffmark', 'no break, soft hyphen, mark'],
    ['accents, composed or not', 'Zoë Nuñez, Ange\u0301lique', 'Zoe Nunez, Angelique'],
    ['letters that are not composed of a letter and an accent', 'Łódź, Straße, Ærø', 'Lodz, Strasse, AEro'],
    ['quotes and dashes', '“A” – ‘b’ — …', '"A" - \'b\' - ...'],
    ['money and signs', '£5, €6, §7, ½, ™', 'GBP 5, EUR 6, s.7, 1?2, TM'],
    ['characters without an equivalent', '東京 😀', '?? ?'],
  ])('replaces forbidden characters: %s', (_, given, written) => {
    expect(plain(given)).toBe(written);
  });

  it('is always one line of printable ASCII that ends no field and no record', () => {
    fc.assert(
      fc.property(text, (given) => {
        expect(plain(given)).toMatch(/^[ -~]*$/);
        expect(plain(given)).not.toMatch(/\||\[\]/);
        expect(plain(plain(given))).toBe(plain(given));
      }),
    );
  });

  it('is cut to the length of its field, but an identifier that is too long is refused', () => {
    expect(prose('A long title of a matter', 7)).toBe('A long');
    expect(prose('€uro', 4)).toBe('EUR');
    expect(prose(null, 7)).toBe('');
    expect(key('CLIENT_ID', ' C-1 ', 3)).toBe('C-1');
    expect(key('CLIENT_TAX_ID', null, 20, false)).toBe('');
    expect(() => key('CLIENT_ID', 'C-10', 3)).toThrow('"C-10" has 4');
  });
});

describe('an address in a LEDES file', () => {
  const none = { street: null, city: null, region: null, postcode: null, country: null };

  it.each([
    ['two lines', 'Mill House\r\n\n12 Mill Lane\nHeadingley', 'Mill House', '12 Mill Lane, Headingley'],
    ['one line', '12 Mill Lane', '12 Mill Lane', ''],
    [
      ...(['one long line', `${'Long '.repeat(12)}Lane`] as const),
      ...(['Long '.repeat(12).trimEnd(), 'Lane'] as const),
    ],
    ['one long word', 'x'.repeat(61), 'x'.repeat(60), ''],
    ['too much', `A\n${'x'.repeat(61)}`, 'A', 'x'.repeat(60)],
  ])('has the street on two lines: %s', (_, street, first, second) => {
    expect(ledesAddress({ ...none, street })).toMatchObject({ first, second });
  });

  it.each([
    ['United Kingdom', 'GB'],
    [' uk ', 'GB'],
    ['England', 'GB'],
    ['AUSTRALIA', 'AU'],
    ['au', 'AU'],
    ['GBR', 'GBR'],
    ['Germany', 'DE'],
    ['Middle-earth', ''],
  ])('has a code for the country: %s', (country, code) => {
    expect(ledesAddress({ ...none, country }).country).toBe(code);
  });

  it('has values cut that are too long, and only empty values when there is none', () => {
    const long = { ...none, city: 'c'.repeat(41), region: 'r'.repeat(41), postcode: 'p'.repeat(21) };
    expect(ledesAddress(long)).toMatchObject({
      city: 'c'.repeat(40),
      region: 'r'.repeat(40),
      postcode: 'p'.repeat(20),
    });
    const empty = { first: '', second: '', city: '', region: '', postcode: '', country: '' };
    expect(ledesAddress(null)).toEqual(empty);
  });
});
