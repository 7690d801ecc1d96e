const { existsSync, readFileSync } = require('node:fs');
const { dirname, join } = require('node:path');
const { transformSync } = require('@swc/core');

const moduleFolders = new Map();

/** Whether the nearest package.json of a folder says "type": "module". */
function isModuleFolder(folder) {
  let known = moduleFolders.get(folder);
  if (known === undefined) {
    const manifest = join(folder, 'package.json');
    known = existsSync(manifest)
      ? JSON.parse(readFileSync(manifest, 'utf8')).type === 'module'
      : dirname(folder) !== folder && isModuleFolder(dirname(folder));
    moduleFolders.set(folder, known);
  }
  return known;
}

const typescript = { syntax: 'typescript', decorators: true };
const options = (filename, parser) => ({
  filename,
  swcrc: false,
  configFile: false,
  sourceMaps: 'inline',
  module: { type: 'commonjs' },
  jsc: {
    target: 'es2022',
    parser,
    transform: { legacyDecorator: true, decoratorMetadata: true, useDefineForClassFields: false },
  },
});

module.exports = {
  /** Jest's transform: TypeScript and ES modules become CommonJS; CommonJS stays as it is. */
  process(source, filename) {
    if (filename.endsWith('.ts')) return transformSync(source, options(filename, typescript));
    if (filename.endsWith('.js') && !isModuleFolder(dirname(filename))) return { code: source };
    return transformSync(source, options(filename, { syntax: 'ecmascript' }));
  },
};
