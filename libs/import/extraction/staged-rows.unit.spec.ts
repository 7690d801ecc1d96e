import { tables } from '../schema/schema-1.0';
import { StagedRowCollector } from './staged-rows';

const title = tables.find(({ name }) => name === 'Matter')!.columns.find(({ name }) => name === 'Title')!;

it('removes only the spaces at the end of a text of a fixed length, and is fast with many spaces elsewhere', () => {
  const collector = new StagedRowCollector([{ ...title, isPadded: true }]);
  const within = `a${' '.repeat(400_000)}b`;
  const since = performance.now();
  for (const text of [`${within}   `, '  c\t  ', '   ', '']) collector.add([text]);
  expect(performance.now() - since).toBeLessThan(10_000);
  expect(collector.take()!.text.toString()).toBe(`${within}\n  c\\t\n\\N\n\\N\n`);
});
