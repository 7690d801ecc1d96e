import { text } from 'node:stream/consumers';
import { csvOf } from './csv';

async function* pages(...all: { a: unknown; b: unknown }[][]) {
  yield* all;
}

it('CSV has one header above all pages, and empty cells for null and undefined', async () => {
  const csv = csvOf(['a', 'b'], pages([{ a: 'x', b: 1 }], [], [{ a: null, b: undefined }]));
  expect(await text(csv)).toBe('a,b\r\nx,1\r\n,\r\n');
});

it.each([
  ['say "hi", you', '"say ""hi"", you"'],
  ['two\nlines', '"two\nlines"'],
  [' a ', '" a "'],
  ['=1+1', "'=1+1"],
  ['=HYPERLINK("http://x","y")', `"'=HYPERLINK(""http://x"",""y"")"`],
  ['+44 20 7946 0000', "'+44 20 7946 0000"],
  ['-cmd', "'-cmd"],
  ['@sum', "'@sum"],
  ['\t=1', "'\t=1"],
  ['\n=1', '"\'\n=1"'],
  ['＝1+1', "'＝1+1"],
  ['-12.50', '-12.50'],
  ['12.5000', '12.5000'],
])('CSV has %j as %j', async (value, cell) => {
  expect(await text(csvOf(['a'], pages([{ a: value, b: null }])))).toBe(`a\r\n${cell}\r\n`);
});
