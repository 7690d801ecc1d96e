import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';

/** More lines than a pipe holds. */
const LINES = 5_000;
const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

/** Starts another process, which logs this many lines when it is told to, and then exits with 3. */
function start(lines: number): ChildProcess {
  const child = spawn(
    process.execPath,
    [
      '--conditions=source',
      `--require=${require.resolve('../../test/support/register-typescript.cjs')}`,
      '--eval',
      `const { JsonLogger } = require(${JSON.stringify(require.resolve('./json-logger'))});
       const logger = new JsonLogger('info');
       process.on('message', () => {
         for (let line = 0; line < ${lines}; line++) logger.log('x'.repeat(100), 'Test');
         process.exit(3);
       });
       process.send('ready');`,
    ],
    { stdio: ['ignore', 'pipe', 'inherit', 'ipc'] },
  );
  children.push(child);
  return child;
}

/** The exit code; rejects when the process does not end. */
async function told(child: ChildProcess): Promise<number> {
  const ended = once(child, 'exit', { signal: AbortSignal.timeout(20_000) });
  child.send('log');
  return (await ended)[0];
}

it('has written all lines when the process exits', async () => {
  const child = start(LINES);
  await once(child, 'message');
  const output = text(child.stdout!);

  expect(await told(child)).toBe(3);

  const lines = (await output).trimEnd().split('\n');
  expect(lines).toHaveLength(LINES);
  expect(JSON.parse(lines[LINES - 1])).toMatchObject({ level: 30, context: 'Test', msg: 'x'.repeat(100) });
});

it('does not keep a process from exiting when the reader of its output has gone', async () => {
  const child = start(100);
  await once(child, 'message');
  child.stdout!.destroy();

  expect(await told(child)).toBe(3);
});

it('does not keep a process from exiting when nobody reads its output', async () => {
  const child = start(LINES);
  await once(child, 'message');

  expect(await told(child)).toBe(3);
});
