import { randomInt } from 'node:crypto';
import * as fc from 'fast-check';
import { naiveReports } from './testing/naive-columns';
import { answersOf, expectedOf, expectSame } from './testing/property-answers';
import { PropertyFirms } from './testing/property-firms';
import { faultyRequest, RUNS_A_FIRM, someRequest } from './testing/property-requests';
import { PropertyWitness } from './testing/property-witness';

const seed = Number(process.env.REPORTS_SEED ?? randomInt(2 ** 30));
const numRuns = Number(process.env.REPORTS_RUNS ?? 300);

/** REPORTS_SEED=… asks the same again, REPORTS_RUNS=… asks more. */
describe.each(naiveReports)(`random slices of $name (REPORTS_SEED=${seed})`, (report) => {
  let firms: PropertyFirms;
  const witness = new PropertyWitness();
  beforeAll(async () => {
    firms = await PropertyFirms.open(seed);
  });
  afterAll(() => {
    console.log(
      [...witness.seen]
        .sort((a, b) => b[1] - a[1])
        .map((x) => x.join(' '))
        .join('; '),
    );
    return firms.close();
  });

  const ask = async (request: Parameters<typeof answersOf>[2], number: number) => {
    const firm = await firms.get(number);
    const expected = expectedOf(firm, request);
    for (const answer of await answersOf(firms.reports, firm, request)) expectSame(answer, expected);
    witness.see(request, expected);
    return expected;
  };

  it('are answered as a naive evaluator answers them', async () => {
    let shown = 0;
    for (let number = 0; number * RUNS_A_FIRM < numRuns; number++) {
      const firm = await firms.get(number);
      await fc.assert(
        fc.asyncProperty(someRequest(report, firm), async (request) => {
          const expected = await ask(request, number);
          if ('rows' in expected && expected.rows.length > 0) shown++;
        }),
        { seed: seed + number, numRuns: Math.min(RUNS_A_FIRM, numRuns) },
      );
    }
    // Empty answers and refusals agree easily.
    expect(shown).toBeGreaterThan(numRuns / 2);
  });

  it('are refused for the same reasons when something is wrong with them', async () => {
    const firm = await firms.get(0);
    await fc.assert(
      fc.asyncProperty(faultyRequest(report, firm), async (request) => void (await ask(request, 0))),
      { numRuns: Math.ceil(numRuns / 3) },
    );
  });
});
