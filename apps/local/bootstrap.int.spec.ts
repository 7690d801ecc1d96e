import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** The path of a small clone that needs no network: its only package is the TypeScript of this installation. */
let clone: string;

function write(path: string, content: string): void {
  mkdirSync(dirname(join(clone, path)), { recursive: true });
  writeFileSync(join(clone, path), content);
}

beforeEach(() => {
  clone = mkdtempSync(join(tmpdir(), 'practice-clone-'));
  cpSync(join(__dirname, 'bootstrap.cjs'), join(clone, 'apps/local/bootstrap.cjs'));
  const dependencies = { typescript: `file:${dirname(require.resolve('typescript/package.json'))}` };
  write('package.json', JSON.stringify({ name: 'clone', version: '1.0.0', dependencies }));
  write('package-lock.json', JSON.stringify({ name: 'clone', lockfileVersion: 3, packages: {} }));
  const compilerOptions = {
    rootDir: '.',
    outDir: 'dist',
    types: [],
    tsBuildInfoFile: 'dist/.tsbuildinfo',
    incremental: true,
  };
  write('tsconfig.json', JSON.stringify({ compilerOptions, include: ['apps'] }));
  write(
    'apps/cli/main.ts',
    'declare const process: any; console.log(JSON.stringify(process.argv.slice(2)));',
  );
});

afterEach(() => rmSync(clone, { recursive: true }));

async function bootstrap(args: string[], nodeFlags: string[] = []) {
  const child = spawn(process.execPath, [...nodeFlags, join(clone, 'apps/local/bootstrap.cjs'), ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk) => (stdout += chunk));
  child.stderr.on('data', (chunk) => (stderr += chunk));
  const [code] = await once(child, 'close');
  return { code, stdout, stderr };
}

const printed = (...args: string[]) => ({ code: 0, stdout: `${JSON.stringify(args)}\n`, stderr: '' });

describe('bootstrap', () => {
  it('installs and builds a fresh clone once, and prints nothing of its own for the command line', async () => {
    expect(await bootstrap(['cli', 'list', '--json'])).toEqual(printed('list', '--json'));
    expect(existsSync(join(clone, 'node_modules/typescript/package.json'))).toBe(true);
    const builtAt = () => statSync(join(clone, 'dist/apps/cli/main.js')).mtimeMs;
    const first = builtAt();
    expect(await bootstrap(['prepare'])).toEqual({ code: 0, stdout: '', stderr: '' });
    expect(builtAt()).toBe(first);
  });

  it('builds again when a source has changed or the build is gone', async () => {
    await bootstrap(['prepare']);
    write('apps/cli/main.ts', 'console.log([1]);');
    expect((await bootstrap(['run', 'cli'])).stdout).toBe('[ 1 ]\n');
    rmSync(join(clone, 'dist/apps'), { recursive: true });
    expect((await bootstrap(['cli'])).stdout).toBe('[ 1 ]\n');
  });

  it('says what does not compile, on standard error', async () => {
    write('apps/cli/main.ts', 'const wrong: string = 1;');
    const { code, stdout, stderr } = await bootstrap(['cli', '--json']);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/apps\/cli\/main\.ts\(1,7\): error.*\nBuilding failed\n$/s);
    expect((await bootstrap(['prepare'])).code).toBe(1);
  });

  it('can be started twice at once, even after one that was killed', async () => {
    write('dist/.bootstrap.lock', String(spawnSync(process.execPath, ['--version']).pid));
    const both = await Promise.all([bootstrap(['cli', 'a']), bootstrap(['cli', 'b'])]);
    expect(both).toEqual([printed('a'), printed('b')]);
    expect(existsSync(join(clone, 'dist/.bootstrap.lock'))).toBe(false);
  });

  it('refuses a Node that is too old, in one line', async () => {
    write('old-node.cjs', `Object.defineProperty(process.versions, 'node', { value: '20.18.3' });`);
    expect(await bootstrap(['start'], ['--require', join(clone, 'old-node.cjs')])).toEqual({
      code: 1,
      stdout: '',
      stderr: 'This needs Node 20.19 or newer; this is 20.18.3\n',
    });
  });
});
