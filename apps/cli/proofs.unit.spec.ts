import { proofLines } from './proofs';

const row = (tenant: string) => ({ tenant, key: 'k' });
const lines = (differing: number, ...differences: { tenant: string; key: string }[]) =>
  proofLines(
    [
      { name: 'matters', differing, differences },
      { name: 'clients', differing: 0, differences: [] },
    ],
    (each) => each,
    ({ name, differing: count }) => ({ name, differing: count }),
  );

it('an audit prints a line for each read model when all is well', () => {
  expect(lines(0)).toEqual([
    { name: 'matters', differing: 0 },
    { name: 'clients', differing: 0 },
  ]);
});

it('an audit prints a line for each row that differs, and says how many more there are', () => {
  const first = { name: 'matters', tenant: 'acme', key: 'k' };
  expect(lines(1, row('acme'))).toEqual([first]);
  expect(lines(101, row('acme'))).toEqual([first, { name: 'matters', tenant: '100 more' }]);
});
