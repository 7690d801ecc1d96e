import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';

/** More lines than a pipe holds. */
const LINES = 5_000;
const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

const manyLines = (count: number) =>
  `for (let line = 0; line < ${count}; line++) logger.log(String(line).padStart(100, '-'), 'Test');`;

/** Starts another process, which runs the code with its `logger` when it is told to, and then ends. */
function start(code: string, end = 'process.exit(3)'): ChildProcess {
  const child = spawn(
    process.execPath,
    [
      '--conditions=source',
      `--require=${require.resolve('../../test/support/register-typescript.cjs')}`,
      '--eval',
      `const { JsonLogger } = require(${JSON.stringify(require.resolve('./json-logger'))});
       const logger = new JsonLogger('info');
       process.on('message', () => {
         ${code}
         ${end};
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
  const child = start(manyLines(LINES));
  await once(child, 'message');
  const output = text(child.stdout!);

  expect(await told(child)).toBe(3);

  const lines = (await output).trimEnd().split('\n');
  expect(lines).toHaveLength(LINES);
  expect(JSON.parse(lines[LINES - 1])).toMatchObject({
    level: 30,
    context: 'Test',
    msg: `${LINES - 1}`.padStart(100, '-'),
  });
});

it('does not keep a process from exiting when the reader of its output has gone', async () => {
  const child = start(manyLines(100));
  await once(child, 'message');
  child.stdout!.destroy();

  expect(await told(child)).toBe(3);
});

it('does not keep a process from exiting when nobody reads its output', async () => {
  const child = start(manyLines(LINES));
  await once(child, 'message');

  expect(await told(child)).toBe(3);
});

async function linesOf(code: string): Promise<object[]> {
  // At process.exit() those lines that wait can overtake the one that is being written.
  const child = start(code, 'process.exitCode = 3; process.disconnect()');
  await once(child, 'message');
  const output = text(child.stdout!);
  expect(await told(child)).toBe(3);
  const lines = (await output).trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line));
}

it('writes a line that repeats once a minute, and then how many were left out', async () => {
  const lines = await linesOf(`
    let now = 0;
    performance.now = () => now;
    for (; now < 130_000; now += 1_000) {
      logger.error({ msg: 'Held up', deliveries: now }, 'Queue');
      logger.warn('Held up', 'Replays');
      if (now % 40_000 === 0) logger.error({ msg: 'A bug', traceId: String(now), stack: 'at …' }, 'Http');
      if (now < 3_000) logger.log('Another', 'Queue');
    }`);
  const held = (level: number, context: string, fields: object = {}) => ({
    level,
    time: expect.any(Number),
    pid: expect.any(Number),
    context,
    msg: 'Held up',
    ...fields,
  });
  const of = (context: string) => lines.filter((line) => 'context' in line && line.context === context);
  expect(of('Replays')).toEqual([
    held(40, 'Replays'),
    held(40, 'Replays', { leftOut: 59 }),
    held(40, 'Replays', { leftOut: 59 }),
  ]);
  expect(of('Queue')).toEqual([
    held(50, 'Queue', { deliveries: 0 }),
    expect.objectContaining({ level: 30, msg: 'Another' }),
    held(50, 'Queue', { deliveries: 60_000, leftOut: 59 }),
    held(50, 'Queue', { deliveries: 120_000, leftOut: 59 }),
  ]);
  expect(of('Http')).toEqual(
    ['0', '40000', '80000', '120000'].map((traceId) => expect.objectContaining({ msg: 'A bug', traceId })),
  );
});

it('writes the words of an error that is logged as it is', async () => {
  const [line] = await linesOf("logger.error(new TypeError('x is undefined'), 'Test');");
  expect(line).toMatchObject({ msg: 'x is undefined', stack: expect.stringContaining('TypeError') });
});

it('goes on when a disk that was full has room again', async () => {
  const lines = await linesOf(`
    const fs = require('node:fs');
    const { write } = fs;
    fs.write = (...given) => {
      fs.write = write;
      given.at(-1)(Object.assign(new Error('no space left'), { code: 'ENOSPC' }));
      logger.log('there is room', 'Test');
    };
    logger.log('the disk is full', 'Test');`);
  expect(lines).toEqual([
    expect.objectContaining({ msg: 'the disk is full' }),
    expect.objectContaining({ msg: 'there is room' }),
  ]);
});
