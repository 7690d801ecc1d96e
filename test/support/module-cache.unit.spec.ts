import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cached } from './process';

const MODULES = 30;
const folder = mkdtempSync(join(tmpdir(), 'practice-modules-'));
const cache = join(folder, 'cache');
const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
afterAll(() => rmSync(folder, { recursive: true }));

/** Runs a program that adds up the numbers of its modules, then imports another module. */
function run(): { sum: number; imported: string } {
  const env = { MODULE_CACHE_DIR: cache };
  const { stdout, stderr } = spawnSync(process.execPath, [...cached, join(folder, 'main.js')], { env });
  expect(String(stderr)).toBe('');
  return JSON.parse(String(stdout));
}

const files = () => readdirSync(cache).map((name) => join(cache, name));
const kept = () => files().map((file) => [readFileSync(file).toString('hex'), statSync(file).ino]);

beforeAll(() => {
  const numbers = Array.from({ length: MODULES }, (_, number) => number);
  for (const number of numbers) write(`m${number}.js`, 'module.exports = () => 1;');
  write('imported.mjs', `export const text = 'imported';`);
  write('importing.js', `module.exports = () => import('./imported.mjs');`);
  const sum = numbers.map((number) => `require('./m${number}')()`).join(' + ');
  write(
    'main.js',
    `require('./importing')().then(({ text }) =>
       console.log(JSON.stringify({ sum: ${sum}, imported: text, main: require.main === module })))`,
  );
  expect(run()).toEqual({ sum: MODULES, imported: 'imported', main: true });
});

describe('a program with the cache of modules', () => {
  it('has one cache file, which a second run uses unchanged', () => {
    const before = kept();
    expect(before).toHaveLength(1);
    expect(run()).toEqual({ sum: MODULES, imported: 'imported', main: true });
    expect(kept()).toEqual(before);
  });

  it('notices that a module has changed, even if its length is the same', () => {
    write('m0.js', 'module.exports = () => 2;');
    expect(run().sum).toBe(MODULES + 1);
  });

  it('looks again for a module that is no longer where it was', () => {
    rmSync(join(folder, 'm1.js'));
    mkdirSync(join(folder, 'm1'));
    write('m1/index.js', 'module.exports = () => 3;');
    expect(run().sum).toBe(MODULES + 3);
  });

  it('writes its cache file again when much has changed', () => {
    for (let number = 0; number < MODULES; number++)
      if (number !== 1) write(`m${number}.js`, 'module.exports = () => 4;');
    const before = kept();
    expect(run().sum).toBe(4 * (MODULES - 1) + 3);
    const after = kept();
    expect(after).not.toEqual(before);
    expect(run().sum).toBe(4 * (MODULES - 1) + 3);
    expect(kept()).toEqual(after);
  });
});
