// `node --conditions source --require test/support/register-typescript.cjs file.ts` runs the sources without a build.
const { readFileSync } = require('node:fs');
const { process: transform } = require('./swc-transform.cjs');

require.extensions['.ts'] = (module, filename) => {
  module._compile(transform(readFileSync(filename, 'utf8'), filename).code, filename);
};
