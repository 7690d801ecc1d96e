import { Rounds } from './rounds';

const EVERY_MS = 60_000;

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

it('begins no round before the last one has ended', async () => {
  let end: (() => void) | undefined;
  const round = jest.fn(() => new Promise<void>((resolve) => (end = resolve)));
  const rounds = new Rounds(round, () => undefined);
  rounds.start(EVERY_MS);
  await jest.advanceTimersByTimeAsync(3 * EVERY_MS);
  expect(round).toHaveBeenCalledTimes(1);
  end!();
  await jest.advanceTimersByTimeAsync(EVERY_MS);
  expect(round).toHaveBeenCalledTimes(2);
  const stopped = rounds.stop();
  end!();
  await stopped;
  await jest.advanceTimersByTimeAsync(3 * EVERY_MS);
  expect(round).toHaveBeenCalledTimes(2);
});

it('goes on after a round that has failed, and reports why', async () => {
  const round = jest.fn().mockRejectedValueOnce(new Error('away')).mockResolvedValue(undefined);
  const failed = jest.fn();
  const rounds = new Rounds(round, failed);
  rounds.start(EVERY_MS);
  await jest.advanceTimersByTimeAsync(2 * EVERY_MS);
  await rounds.stop();
  expect(round).toHaveBeenCalledTimes(2);
  expect(failed.mock.calls).toEqual([[new Error('away')]]);
});
