import { Writable } from 'node:stream';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { ClientBase } from 'pg';
import { CopyStream } from './copy-rows';

setFlagsFromString('--expose-gc');
const collect: () => void = runInNewContext('gc');

it('keeps nothing of the rows that a long copy has written', async () => {
  const slow = new Writable({ highWaterMark: 1, write: (_chunk, _encoding, done) => setImmediate(done) });
  const stream = new CopyStream({ query: () => slow } as unknown as ClientBase, 'target');
  const row = Buffer.from('1\n');
  const heapAfter = async (writes: number) => {
    for (let count = 0; count < writes; count++) await stream.write(row);
    collect();
    return process.memoryUsage().heapUsed;
  };
  const before = await heapAfter(1_000);
  const grown = (await heapAfter(50_000)) - before;
  await stream.end();
  expect(grown).toBeLessThan(5_000_000);
});
