import { wordsOf } from './words';

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
