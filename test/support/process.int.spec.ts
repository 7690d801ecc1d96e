import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, startProcess } from './process';
import { waitFor } from './wait-for';

const folder = mkdtempSync(join(tmpdir(), 'practice-process-'));
afterAll(() => rmSync(folder, { recursive: true }));

function program(source: string): string {
  const file = join(folder, 'main.js');
  writeFileSync(file, source);
  return file;
}

const server = `
  let asked = 0;
  require('node:http')
    .createServer((request, reply) => { reply.statusCode = ++asked > 1 ? 200 : 503; reply.end(process.env.TZ); })
    .listen(process.env.PORT, process.env.HOST, () => console.log('listening'));
  process.on('SIGTERM', () => process.exit(7));`;

describe('startProcess', () => {
  it('waits until it is ready, and stops it', async () => {
    const app = await startProcess(program(server), { TZ: 'Australia/Sydney' });
    expect(app.output()).toBe('listening\n');
    expect(await (await fetch(app.baseUrl)).text()).toBe('Australia/Sydney');
    expect(await app.stop()).toBe(7);
    expect(await app.exited).toBe(7);
  });

  it('reports the output of a program that ends before it is ready', async () => {
    const failing = startProcess(program(`console.error('no luck'); process.exitCode = 3;`));
    await expect(failing).rejects.toThrow(/main\.js ended with code 3; its output:\nno luck/);
  });

  it('leaves no program behind when the test process is killed', async () => {
    const preload = require.resolve('./register-typescript.cjs');
    const parent = spawn(process.execPath, [
      '--require',
      preload,
      '--eval',
      `require(${JSON.stringify(require.resolve('./process'))})
        .startProcess(${JSON.stringify(program(server))})
        .then((app) => console.log(app.baseUrl))`,
    ]);
    const [line] = await once(parent.stdout, 'data');
    const baseUrl = String(line).trim();
    expect((await fetch(baseUrl)).status).toBe(200);
    parent.kill('SIGKILL');
    await waitFor(
      () =>
        fetch(baseUrl).then(
          () => false,
          () => true,
        ),
      { description: 'the end of the program' },
    );
  });
});

it('gives each of many simultaneous callers a different port', async () => {
  const ports = await Promise.all(Array.from({ length: 1_000 }, freePort));
  expect(new Set(ports).size).toBe(1_000);
});
