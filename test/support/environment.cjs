// Jest's environment for Node, in a process that compiles every module only once. Jest compiles them again for each
// test file, which took a quarter of a run's time. A compiled script of V8 can run in several contexts, one after the
// other.
const vm = require('node:vm');
const { TestEnvironment } = require('jest-environment-node');

const compiled = new Map();
/** The callback of the running test file only, so that earlier files can be released. */
let importModuleDynamically;

/** Replaces node:vm's function, which Jest calls with the same parameters for every module. */
vm.compileFunction = function compileFunction(code, parameters, { filename, parsingContext, ...options }) {
  importModuleDynamically = options.importModuleDynamically;
  let known = compiled.get(filename);
  if (known?.code !== code) {
    const head = `(function (${parameters.join(', ')}) { `;
    const script = new vm.Script(`${head}${code}\n})`, {
      filename,
      columnOffset: -head.length,
      importModuleDynamically: (...given) => importModuleDynamically(...given),
    });
    known = { code, script };
    compiled.set(filename, known);
  }
  return known.script.runInContext(parsingContext);
};

module.exports = TestEnvironment;
