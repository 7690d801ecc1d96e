import { normalised } from '#kernel/names';
import { createTestDatabase, execute } from '../../../test/support/database';
import { normalisedText } from './checked-names';

it('a text has the form in SQL that it has in requests, whatever space is around it', async () => {
  const signs = Array.from({ length: 0xffff }, (_, at) => String.fromCharCode(at + 1));
  const texts = signs.filter((sign) => sign.isWellFormed()).map((sign) => `${sign}e\u0301 ${sign}`);
  const { url, drop } = await createTestDatabase();
  const rows = await execute<{ text: string }>(
    url,
    `select ${normalisedText('t')} as text from unnest($1::text[]) with ordinality u(t, n) order by n`,
    [texts],
  ).finally(drop);
  expect(rows.map(({ text }) => text)).toEqual(texts.map(normalised));
});
