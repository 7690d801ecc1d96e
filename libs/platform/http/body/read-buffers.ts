import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * How many bytes are read before their buffers are collected. Node makes a buffer of each read, and V8 lets more than
 * 32 MB of them gather. A collection of the young generation took 2 to 3 ms: some 60 ms for 100 MiB.
 */
const COLLECT_AFTER = 4 * 1024 ** 2;

type Collect = (options: { type: 'minor' }) => void;

let read = 0;
let collect: Collect | undefined;

/**
 * To be told of every buffer of a long body, so that one keeps memory for some megabytes of them only, however many
 * bodies there are and however long they are. Buffers that are still in use stay as they are.
 */
export function countRead(length: number): void {
  read += length;
  if (read < COLLECT_AFTER) return;
  read = 0;
  collect ??= collector();
  collect({ type: 'minor' });
}

/** V8 gives it to contexts that are made once it is allowed, so that no flag at the start is needed. */
function collector(): Collect {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc');
}
