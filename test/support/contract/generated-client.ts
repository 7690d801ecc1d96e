import { execFile } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Json } from '../client';

const run = promisify(execFile);
const root = join(__dirname, '../../..');
const tool = (path: string) => join(root, 'node_modules', path);

const compilerOptions = {
  target: 'es2022',
  module: 'node20',
  strict: true,
  noUncheckedIndexedAccess: true,
  exactOptionalPropertyTypes: true,
  types: ['node'],
};

/** An integrator's project in a folder of its own: types generated from openapi.json, and a program that uses them. */
export class GeneratedClient {
  private readonly folder = mkdtempSync(join(tmpdir(), 'practice-client-'));

  /** Generates the types. @throws with the message of openapi-typescript */
  async generate(): Promise<void> {
    const args = [tool('openapi-typescript/bin/cli.js'), join(root, 'openapi.json')];
    await run(process.execPath, [...args, '--output', join(this.folder, 'api.ts')], { cwd: this.folder });
  }

  /** Type-checks and compiles the program. @throws with the compiler's errors */
  async compile(): Promise<void> {
    symlinkSync(join(root, 'node_modules'), join(this.folder, 'node_modules'));
    copyFileSync(join(__dirname, 'client-program.mts'), join(this.folder, 'program.mts'));
    this.write('package.json', { type: 'module' });
    this.write('tsconfig.json', { compilerOptions, files: ['program.mts'] });
    await run(process.execPath, [tool('typescript/bin/tsc'), '-p', this.folder]).catch(({ stdout }) => {
      throw new Error(stdout);
    });
  }

  /** Runs the program. @returns its JSON output */
  async run(env: Record<string, string>): Promise<Json> {
    const { stdout } = await run(process.execPath, [join(this.folder, 'program.mjs')], { env });
    return JSON.parse(stdout);
  }

  remove(): void {
    rmSync(this.folder, { recursive: true });
  }

  private write(name: string, content: object): void {
    writeFileSync(join(this.folder, name), JSON.stringify(content));
  }
}
