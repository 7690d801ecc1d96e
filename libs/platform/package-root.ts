import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The folder of this package's package.json, from the sources as well as from dist/. */
export function packageRoot(): string {
  let folder = __dirname;
  while (!existsSync(join(folder, 'package.json'))) folder = dirname(folder);
  return folder;
}
