import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * How many bytes are read before their buffers are collected. Node makes a buffer for each read, and V8 lets more than
 * 32 MB of them accumulate. A collection of the young generation takes 2 to 3 ms: about 60 ms for 100 MiB.
 */
const COLLECT_AFTER = 4 * 1024 ** 2;

type Collect = (options: { type: 'minor' }) => void;

let read = 0;
let collect: Collect | undefined;

/**
 * Counts a buffer of a long body. When every buffer is counted, only some megabytes of them stay in memory, however
 * many bodies there are and however long they are. Buffers in use are not collected.
 */
export function countRead(length: number): void {
  read += length;
  if (read < COLLECT_AFTER) return;
  read = 0;
  collect ??= collector();
  collect({ type: 'minor' });
}

/**
 * V8's garbage collector as a function. V8 offers it to contexts that are made after it was allowed, so no flag at the
 * start is needed.
 */
function collector(): Collect {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc');
}
