// Jest's environment for Node, in a process that compiles every module once. Jest compiles each anew for each test file,
// which was a quarter of all that a run did; a script of V8 can run in one context after the other.
const vm = require('node:vm');
const { TestEnvironment } = require('jest-environment-node');

const compiled = new Map();
/** That of the test file that runs now, so that none before it is kept alive. */
let importModuleDynamically;

/** As node:vm's, which Jest calls with the same parameters for every module. */
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
