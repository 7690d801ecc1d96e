import { startingWith, wordsOf } from './words';

describe('words of a text', () => {
  it.each([
    ['C/2024/001', ['c', '2024', '001']],
    ['jane@example.com', ['jane', 'example', 'com']],
    ["O'Brien-Smith, ÉVA", ['o', 'brien', 'smith', 'éva']],
    [' - ', []],
  ])('%s', (text, words) => {
    expect(wordsOf(text)).toEqual(words);
  });
});

describe('a query for words', () => {
  it('asks for words that begin with each of them', () => {
    expect(startingWith(['john', 'smi'])).toBe("'john':* & 'smi':*");
  });

  it('cuts a word that is too long for PostgreSQL after a whole character', () => {
    expect(startingWith(['𝒜'.repeat(600)])).toBe(`'${'𝒜'.repeat(500)}':*`);
  });
});
