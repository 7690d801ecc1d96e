/**
 * Makes a clone run: installs and builds what is missing or out of date, then runs what was asked for.
 * Plain Node without dependencies, since it runs before they are installed.
 *
 *   start            everything in this process
 *   run <app>        one of the apps in this process
 *   cli <arguments>  the operator's commands
 *   prepare          installs and builds, no more
 */
'use strict';
const { spawnSync } = require('node:child_process');
const { createHash } = require('node:crypto');
const fs = require('node:fs');
const { basename, join, relative, resolve } = require('node:path');

const root = resolve(__dirname, '../..');
const installStamp = join(root, 'node_modules/.installed');
const buildStamp = join(root, 'dist/apps/.built');
const lockFile = join(root, 'dist/.bootstrap.lock');

function main([command, ...args]) {
  requireNode(20, 19);
  try {
    // the output of the command line may be parsed, so nothing else is written to it
    prepare({ quiet: command === 'cli' });
  } catch (error) {
    fail(error.message);
  }
  if (command === 'start') return hand('local', args);
  if (command === 'cli') return hand('cli', args);
  if (command === 'run') return hand(args[0], args.slice(1));
  if (command !== 'prepare') fail('Usage: bootstrap.cjs start | run <app> | cli <arguments> | prepare');
}

function requireNode(major, minor) {
  const [ownMajor, ownMinor] = process.versions.node.split('.').map(Number);
  if (ownMajor < major || (ownMajor === major && ownMinor < minor)) {
    fail(`This needs Node ${major}.${minor} or newer; this is ${process.versions.node}`);
  }
}

/** Runs an app by requiring it: in the same process, so that signals reach it. */
function hand(app, args) {
  const entry = join(root, 'dist/apps', app, 'main.js');
  if (!fs.existsSync(entry)) fail(`There is no app ${app}`);
  process.argv = [process.execPath, entry, ...args];
  require(entry);
}

function prepare({ quiet }) {
  if (isInstalled() && isBuilt()) return;
  withLock(() => {
    if (!isInstalled()) install(quiet);
    if (!isBuilt()) build(quiet);
  });
}

function isInstalled() {
  return readStamp(installStamp) === dependencies();
}

function dependencies() {
  return hash([join(root, 'package-lock.json')]);
}

function install(quiet) {
  const npm = process.env.npm_execpath;
  const args = ['install', '--include=dev', '--loglevel=error'];
  if (npm && basename(npm) === 'npm-cli.js')
    run('Installing packages', quiet, process.execPath, [npm, ...args]);
  else run('Installing packages', quiet, 'npm', args, { shell: process.platform === 'win32' });
  fs.writeFileSync(installStamp, dependencies()); // npm may have brought the lock file up to date
}

function isBuilt() {
  return readStamp(buildStamp) === hash(sources());
}

function build(quiet) {
  const built = hash(sources());
  // by its own record tsc would not write again what has been deleted
  if (!fs.existsSync(buildStamp)) fs.rmSync(join(root, 'dist/.tsbuildinfo'), { force: true });
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  run('Building', quiet, process.execPath, [tsc, '-p', 'tsconfig.json']);
  fs.writeFileSync(buildStamp, built);
}

function sources() {
  const files = ['tsconfig.json', 'package.json', 'package-lock.json'].map((name) => join(root, name));
  for (const folder of ['apps', 'libs', 'test']) {
    if (!fs.existsSync(join(root, folder))) continue;
    for (const name of fs.readdirSync(join(root, folder), { recursive: true })) {
      if (name.endsWith('.ts')) files.push(join(root, folder, name));
    }
  }
  return files.sort();
}

function hash(files) {
  const sum = createHash('sha256');
  for (const file of files)
    sum.update(relative(root, file)).update('\0').update(fs.readFileSync(file)).update('\0');
  return sum.digest('hex');
}

function readStamp(file) {
  return fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : undefined;
}

/** Runs a step. Its output goes to standard error; with `quiet`, only if the step fails. */
function run(title, quiet, program, args, options = {}) {
  if (!quiet) process.stderr.write(`${title} …\n`);
  const stdio = quiet ? ['ignore', 'pipe', 'pipe'] : ['ignore', 2, 2];
  const result = spawnSync(program, args, {
    cwd: root,
    stdio,
    encoding: 'utf8',
    maxBuffer: 1 << 28,
    ...options,
  });
  if (result.status === 0) return;
  if (quiet) process.stderr.write(`${result.stdout ?? ''}${result.stderr ?? ''}`);
  throw new Error(`${title} failed${result.error ? `: ${result.error.message}` : ''}`);
}

/** Allows one bootstrap at a time. The lock of a process that no longer runs is ignored. */
function withLock(work) {
  fs.mkdirSync(join(root, 'dist'), { recursive: true });
  for (;;) {
    try {
      fs.writeFileSync(lockFile, String(process.pid), { flag: 'wx' });
      break;
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
    }
    if (isStale()) fs.rmSync(lockFile, { force: true });
    else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200);
  }
  try {
    work();
  } finally {
    fs.rmSync(lockFile, { force: true });
  }
}

function isStale() {
  try {
    const { mtimeMs } = fs.statSync(lockFile);
    const owner = Number(fs.readFileSync(lockFile, 'utf8'));
    // held while just created and still empty, or while its process runs; not for ever, since pids are reused
    if (owner === 0) return Date.now() - mtimeMs > 5_000;
    if (Date.now() - mtimeMs > 15 * 60_000) return true;
    process.kill(owner, 0);
    return false;
  } catch (error) {
    return error.code === 'ESRCH';
  }
}

function fail(message) {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}

main(process.argv.slice(2));
