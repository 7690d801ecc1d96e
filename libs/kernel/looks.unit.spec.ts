import { pauseBetweenLooks } from './looks';

const looks = { first: 4, last: 250 };

/** When a result that comes the given milliseconds after the first look is seen, and after how many looks. */
function seenAt(came: number): { at: number; count: number } {
  let count = 1;
  for (let at = 0; ; count++) {
    if (at >= came) return { at, count };
    at += pauseBetweenLooks(at, looks);
  }
}

it.each([5, 17, 60, 130, 260, 700])(
  'sees a result that comes after %d ms with a delay of at most a quarter',
  (came) => {
    expect(seenAt(came).at - came).toBeLessThanOrEqual(Math.max(looks.first, came / 4));
  },
);

it('looks less and less often, but never waits longer than the longest pause', () => {
  expect(seenAt(1_000).count).toBeLessThan(25);
  expect(seenAt(11_000).count - seenAt(1_000).count).toBe(40);
});
