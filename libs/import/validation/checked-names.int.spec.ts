import { normalised } from '#kernel/names';
import { createTestDatabase, execute } from '../../../test/support/database';
import { cellTypes } from './cells/cell-types';
import { normalisedText } from './checked-names';

it('SQL normalises texts, and recognises blank ones, exactly as requests do, whatever white space they have', async () => {
  const codes = Array.from({ length: 0xffff }, (_, at) => String.fromCharCode(at + 1));
  const signs = codes.filter((sign) => sign.isWellFormed());
  const texts = signs.map((sign) => `${sign}e\u0301 ${sign}`);
  const { url, drop } = await createTestDatabase();
  const rows = await execute<{ text: string; isBlank: boolean }>(
    url,
    `select ${normalisedText('t')} as text, not (${cellTypes.text.isValid('sign')}) as "isBlank"
     from unnest($1::text[], $2::text[]) with ordinality u(t, sign, n) order by n`,
    [texts, signs],
  ).finally(drop);
  expect(rows.map(({ text }) => text)).toEqual(texts.map(normalised));
  expect(signs.filter((_, at) => rows[at].isBlank)).toEqual(signs.filter((sign) => !/\S/.test(sign)));
});
