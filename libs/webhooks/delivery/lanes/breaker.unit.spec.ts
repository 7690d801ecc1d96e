import { afterFailure, mayBeUnderWay, type Standing, WELL } from './breaker';

const at = (seconds: number) => new Date(Date.UTC(2026, 0, 1) + seconds * 1000);
const failed = (count: number, standing: Standing = WELL): Standing =>
  Array.from({ length: count }).reduce<Standing>((before) => afterFailure(before, at(0)), standing);

it('the breaker lets all attempts through until five have failed in a row', () => {
  expect(mayBeUnderWay(failed(4), 5, at(0))).toBe(5);
  const open = failed(5);
  expect(open).toEqual({ failures: 5, openUntil: at(30), failingSince: at(0) });
  expect([at(0), at(29.999), at(30), at(9_999)].map((now) => mayBeUnderWay(open, 5, now))).toEqual([
    0, 0, 1, 1,
  ]);
});

it('a webhook fails since the earliest of its failed attempts, even when another ended before it', () => {
  const standing = afterFailure(afterFailure(WELL, at(2)), at(1));
  expect(standing).toMatchObject({ failures: 2, failingSince: at(1) });
});

it('the breaker does not count attempts that were under way when it opened', () => {
  expect(failed(9)).toEqual(failed(5));
});

it('the breaker waits twice as long after each probe that fails, up to five minutes', () => {
  let standing = failed(5);
  const waits: number[] = [];
  for (let probe = 0; probe < 6; probe++) {
    const now = standing.openUntil!;
    standing = afterFailure(standing, now);
    waits.push((standing.openUntil!.getTime() - now.getTime()) / 1000);
  }
  expect(waits).toEqual([60, 120, 240, 300, 300, 300]);
  expect(standing.failingSince).toEqual(at(0));
});

it('the breaker is open from when the fifth failure is known, however long that attempt took', () => {
  const open = afterFailure(failed(4), at(0), at(15));
  expect(open).toEqual({ failures: 5, openUntil: at(45), failingSince: at(0) });
  // Others that began with it end a moment later.
  expect(afterFailure(open, at(0), at(16))).toEqual(open);
});

it('the breaker is not open for longer than it ever is, as after a clock that ran ahead', () => {
  const ahead = { ...failed(5), openUntil: at(86_400) };
  expect(mayBeUnderWay(ahead, 5, at(0))).toBe(1);
  expect(afterFailure(ahead, at(0))).toEqual({ failures: 6, openUntil: at(60), failingSince: at(0) });
});
