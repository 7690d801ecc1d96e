import { countRead } from './read-buffers';

const MIB = 1024 ** 2;

it('keeps the read buffers of a long body from piling up in memory', () => {
  const before = process.memoryUsage().arrayBuffers;
  let most = 0;
  for (let number = 0; number < 1600; number++) {
    countRead(Buffer.alloc(64 * 1024).length);
    most = Math.max(most, process.memoryUsage().arrayBuffers - before);
  }
  expect(most).toBeGreaterThan(MIB);
  expect(most).toBeLessThan(24 * MIB);
});
