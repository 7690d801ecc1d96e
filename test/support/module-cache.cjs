// Preloaded into the hundreds of processes that tests start, which spend more than half of their start on finding and
// compiling the same modules again. Like module.enableCompileCache() of Node 22, this keeps compiled code. It also
// keeps the sources, as long as a file has the same time and size, and the places where modules were found. Each
// program has one cache file, which its first process writes when it ends.
const { hash } = require('node:crypto');
const { existsSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } = require('node:fs');
const Module = require('node:module');
const { dirname, isAbsolute, join } = require('node:path');
const { cachedDataVersionTag } = require('node:v8');
const { Script } = require('node:vm');
const { isMainThread } = require('node:worker_threads');

/** With fewer new modules than this, writing the file again is not worth it. */
const FEW = 20;

const IMPORTS = /\bimport\s*\(/;

const root = join(__dirname, '../..');
const folder = process.env.MODULE_CACHE_DIR ?? join(root, 'node_modules/.cache/modules');
const digest = (...texts) => hash('sha1', texts.join('\0'), 'hex');

/** Each program has its own cache file. */
const file = join(folder, digest(process.argv[1] ?? ''));

/** The cache is valid only for this version of V8 and for these packages. */
function circumstances() {
  const packages = ['package.json', 'package-lock.json'].map((name) => readFileSync(join(root, name)));
  return digest(cachedDataVersionTag(), ...packages);
}

/** Identifies the present content of a file. */
function stampOf(filename) {
  const { mtimeMs, size } = statSync(filename);
  return `${mtimeMs} ${size}`;
}

/**
 * The format is one line of JSON, then the compiled code and the source of each module, both aligned as V8 requires.
 */
function read() {
  const nothing = { found: {}, codes: new Map() };
  let bytes;
  try {
    bytes = readFileSync(file);
  } catch (error) {
    if (error.code === 'ENOENT') return nothing;
    throw error;
  }
  const end = bytes.indexOf('\n') + 1;
  const head = JSON.parse(bytes.toString('utf8', 0, end));
  if (head.circumstances !== circumstances()) return nothing;
  const codes = new Map();
  let at = aligned(end);
  for (const [filename, stamp, codeSize, sourceSize] of head.sizes) {
    const code = bytes.subarray(at, at + codeSize);
    at += aligned(codeSize);
    codes.set(filename, { stamp, code, source: bytes.subarray(at, at + sourceSize) });
    at += aligned(sourceSize);
  }
  return { found: head.found, codes };
}

/** Replaces the file atomically: processes that start meanwhile read either the old or the new one. */
function write({ found, codes }) {
  const kept = [...codes];
  const sizes = kept.map(([filename, { stamp, code, source }]) => [
    ...[filename, stamp, code.length],
    source.length,
  ]);
  const head = Buffer.from(`${JSON.stringify({ circumstances: circumstances(), found, sizes })}\n`);
  const parts = [head, ...kept.flatMap(([, { code, source }]) => [code, source])];
  mkdirSync(folder, { recursive: true });
  const own = `${file}.${process.pid}`;
  writeFileSync(own, Buffer.concat(parts.map((part) => Buffer.concat([part], aligned(part.length)))));
  renameSync(own, file);
}

function aligned(size) {
  return Math.ceil(size / 8) * 8;
}

/** The `require` of a module, as Node makes it. */
function requireOf(module) {
  const require = (id) => module.require(id);
  require.resolve = (request, options) => Module._resolveFilename(request, module, false, options);
  require.resolve.paths = (request) => Module._resolveLookupPaths(request, module);
  require.main = process.mainModule;
  require.extensions = Module._extensions;
  require.cache = Module._cache;
  return require;
}

/** Remembers where each request from each folder found its module. */
function rememberPlaces(found) {
  const resolve = Module._resolveFilename;
  Module._resolveFilename = function (request, parent, ...others) {
    const from = parent?.path;
    if (!from || others[1]) return resolve.call(this, request, parent, ...others);
    found[from] ??= {};
    const known = found[from][request];
    if (known && (Module._cache[known] || existsSync(known))) return known;
    const filename = resolve.call(this, request, parent, ...others);
    if (isAbsolute(filename)) found[from][request] = filename; // not a module of Node's own
    return filename;
  };
}

/**
 * Takes modules from the kept codes when their files are unchanged. @returns the scripts of modules that were compiled
 * now
 */
function rememberCodes(codes) {
  const load = Module._extensions['.js'];
  const compile = Module.prototype._compile;
  const scripts = new Map();
  const run = (module, filename, source, cachedData) => {
    const script = new Script(source, { filename, cachedData });
    if (script.cachedDataRejected !== false)
      scripts.set(filename, { stamp: stampOf(filename), script, source });
    script
      .runInThisContext()
      .call(module.exports, module.exports, requireOf(module), module, filename, dirname(filename));
  };
  Module._extensions['.js'] = (module, filename) => {
    const known = codes.get(filename);
    codes.delete(filename);
    if (known?.stamp !== stampOf(filename)) return load(module, filename);
    run(module, filename, known.source.toString(), known.code);
  };
  Module.prototype._compile = function (text, filename, format) {
    // V8's kept code has lost its callback for `import()`.
    if (format === 'module' || IMPORTS.test(text)) return compile.call(this, text, filename, format);
    run(this, filename, Module.wrap(text));
  };
  return scripts;
}

function install() {
  const { found, codes } = read();
  rememberPlaces(found);
  const scripts = rememberCodes(codes);
  process.once('exit', () => {
    if (scripts.size < FEW) return;
    const all = read().codes;
    for (const [filename, { stamp, script, source }] of scripts)
      all.set(filename, { stamp, code: script.createCachedData(), source: Buffer.from(source) });
    write({ found, codes: all });
  });
}

// Worker threads load few modules.
if (isMainThread) install();
