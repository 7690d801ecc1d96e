import 'reflect-metadata';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '#platform/package-root';
import { generatedFiles } from './generated-files';

/** Writes the generated files. With --check it only reports which of them differ from the code. */
async function main(): Promise<void> {
  const check = process.argv.includes('--check');
  for (const [name, content] of Object.entries(await generatedFiles())) {
    const path = join(packageRoot(), name);
    const committed = existsSync(path) ? readFileSync(path, 'utf8') : '';
    if (committed === content) continue;
    if (!check) {
      writeFileSync(path, content);
      console.log(`${name} written`);
      continue;
    }
    process.exitCode = 1;
    console.error(`${name} is not what the code says: ${firstDifference(committed, content)}`);
  }
  if (process.exitCode) console.error('Run `npm run generate` and commit what it changes.');
}

function firstDifference(committed: string, wanted: string): string {
  const [was, is] = [committed.split('\n'), wanted.split('\n')];
  const line = is.findIndex((text, index) => text !== was[index]);
  return line < 0
    ? `it has ${was.length - is.length} lines too many`
    : `line ${line + 1} is ${JSON.stringify(was[line] ?? '')}, should be ${JSON.stringify(is[line])}`;
}

void main();
