import { randomInt } from 'node:crypto';
import { Decimal } from 'decimal.js';
import * as fc from 'fast-check';
import { naiveReports } from './testing/naive-columns';
import type { Sent } from './testing/naive-criteria';
import { type Answer, answersOf } from './testing/property-answers';
import { PropertyFirms } from './testing/property-firms';
import { type Request, someRequest } from './testing/property-requests';

const seed = Number(process.env.REPORTS_SEED ?? randomInt(2 ** 30));
const numRuns = Math.ceil(Number(process.env.REPORTS_RUNS ?? 200) / 8);

type Rows = Extract<Answer, { rows: unknown }>;

const Exact = Decimal.clone({ precision: 150 });

/** A number's binary value: Decimal by itself reads the shortest text that names it, which is half a unit away. */
function exactly(number: number): Decimal {
  return new Exact(number.toFixed(100));
}

/** Shrinking repeats requests many times, and long runs take long. */
const limits = { interruptAfterTimeLimit: 60_000 + 500 * numRuns, markInterruptAsFailure: true };

jest.setTimeout(2 * limits.interruptAfterTimeLimit + 300_000);

let firms: PropertyFirms;

beforeAll(async () => {
  firms = await PropertyFirms.open(seed);
});

afterAll(() => firms.close());

/** REPORTS_SEED=… repeats the same requests, REPORTS_RUNS=… makes more. */
describe.each(naiveReports)(`pages of random slices of $name (REPORTS_SEED=${seed})`, (report) => {
  /** The rows; undefined when the report refuses the request. */
  const rowsOf = async (request: Request, changes: Sent): Promise<Rows | undefined> => {
    const slice = { ...request.slice, ...changes };
    const [answer] = await answersOf(firms.reports, await firms.get(0), { ...request, slice });
    return 'rows' in answer ? answer : undefined;
  };
  const whole = { startRow: 0, endRow: 10_000, totalsOnly: false };
  const check = async (property: (request: Request) => Promise<unknown>) =>
    fc.assert(
      fc.asyncProperty(
        someRequest(report, await firms.get(0)),
        async (request) => void (await property(request)),
      ),
      { seed, numRuns, ...limits },
    );

  it('are together the same as the unpaged slice', async () => {
    let paged = 0;
    await check(async (request) => {
      const all = await rowsOf(request, whole);
      if (!all || all.rows.length < 2) return;
      paged++;
      const size = Math.ceil(all.rows.length / 4);
      const rows: Rows['rows'] = [];
      for (let startRow = 0, lastRow = -1; lastRow === -1; startRow += size) {
        const page = await rowsOf(request, { ...whole, startRow, endRow: startRow + size });
        rows.push(...page!.rows);
        lastRow = page!.lastRow;
        if (lastRow !== -1) expect(lastRow).toBe(all.rows.length);
      }
      expect(rows).toEqual(all.rows);
    });
    // At least once: on average it is every second request, but 25 draws may deviate far from that.
    expect(paged).toBeGreaterThan(numRuns / 50);
  });

  it('add up to the totals of the same slice, which are one row', async () => {
    let added = 0;
    await check(async (request) => {
      const all = await rowsOf(request, whole);
      const totals = await rowsOf(request, { totalsOnly: true });
      if (!all || !totals) return;
      expect(totals).toMatchObject({ rows: [expect.anything()], lastRow: 1 });
      const pivots = new Map(totals.pivotResultFields.map(({ field, colId }) => [field, colId]));
      for (const [field, value] of totals.rows[0]) {
        const { colId, aggFunc } = request.slice.cols.find(
          (col: Sent) => col.colId === (pivots.get(field) ?? field),
        );
        if (aggFunc !== 'sum' && aggFunc !== 'count') continue;
        added++;
        const leaf = (request.slice.groupKeys?.length ?? 0) === (request.slice.rowGroups?.length ?? 0);
        const values = all.rows.map((row) => {
          const cell = row.find(([name]) => name === field)![1];
          const counts = leaf && !request.slice.groupLeafLevel && aggFunc === 'count';
          return counts ? Number(cell !== null) : ((cell ?? 0) as number);
        });
        const sum = values.reduce((total, one) => total.add(exactly(one)), new Exact(0));
        // Hours are rounded to 10 places in each row, but only once in the totals. A JSON number has 53 bits.
        const places = colId === 'unitDuration' ? all.rows.length * 5e-11 : 0;
        const bits = [...values, (value ?? 0) as number].reduce(
          (error, one) => error + Math.abs(one) * 2 ** -53,
          0,
        );
        const rounded = places + bits;
        const difference = sum.sub(exactly((value ?? 0) as number)).abs();
        expect(difference.toNumber()).toBeLessThanOrEqual(rounded);
      }
    });
    // At least once: two draws in five have something to add up.
    expect(added).toBeGreaterThan(numRuns / 50);
  });
});
