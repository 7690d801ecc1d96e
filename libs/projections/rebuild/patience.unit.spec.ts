import { patiently } from './patience';

const MINUTE = 60_000;
const lost = () => Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
afterEach(() => jest.restoreAllMocks());

/** Attempts that fail after the given minutes each, followed by one that succeeds. */
async function attempts(minutes: number[], progress?: () => number) {
  let now = 0;
  jest.spyOn(performance, 'now').mockImplementation(() => now);
  const left = [...minutes];
  const attempt = async () => {
    const taken = left.shift();
    if (taken === undefined) return true;
    now += taken * MINUTE;
    throw lost();
  };
  await patiently(attempt, () => undefined, progress);
}

it('waits for a database for ten minutes', async () => {
  await attempts([1, 9]);
  await expect(attempts([1, 11])).rejects.toThrow('ECONNREFUSED');
});

it('waits as long again once it has made progress', async () => {
  let folded = 0;
  await attempts([60, 30, 30], () => ++folded);
});
