import { randomInt } from 'node:crypto';
import * as fc from 'fast-check';
import { naiveReports } from './testing/naive-columns';
import { answersOf, expectedOf, expectSame } from './testing/property-answers';
import { PropertyFirms } from './testing/property-firms';
import { faultyRequest, type Request, RUNS_A_FIRM, someRequest } from './testing/property-requests';
import { PropertyWitness } from './testing/property-witness';

const seed = Number(process.env.REPORTS_SEED ?? randomInt(2 ** 30));
const numRuns = Number(process.env.REPORTS_RUNS ?? 200);

/** Shrinking repeats requests many times, and long runs take long. */
const limits = { interruptAfterTimeLimit: 60_000 + 500 * numRuns, markInterruptAsFailure: true };

jest.setTimeout(2 * limits.interruptAfterTimeLimit + 300_000);

let firms: PropertyFirms;

beforeAll(async () => {
  firms = await PropertyFirms.open(seed);
});

afterAll(() => firms.close());

/** REPORTS_SEED=… repeats the same requests; REPORTS_RUNS=… asks each report for this many slices, of more firms. */
describe.each(naiveReports)(`random slices of $name (REPORTS_SEED=${seed})`, (report) => {
  const ask = async (request: Request, number: number, witness?: PropertyWitness) => {
    const firm = await firms.get(number);
    const expected = expectedOf(firm, request);
    for (const answer of await answersOf(firms.reports, firm, request)) expectSame(answer, expected);
    witness?.see(request, expected);
  };

  it('are answered as a naive evaluator answers them', async () => {
    const witness = new PropertyWitness();
    for (let number = 0; number * RUNS_A_FIRM < numRuns; number++) {
      await fc.assert(
        fc.asyncProperty(someRequest(report, await firms.get(number)), (request) =>
          ask(request, number, witness),
        ),
        { seed: seed + number, numRuns: Math.min(RUNS_A_FIRM, numRuns), ...limits },
      );
    }
    expect(witness.missing(report, numRuns)).toEqual([]);
  });

  it('are refused for the same reasons when something is wrong with them', async () => {
    const firm = await firms.get(0);
    await fc.assert(
      fc.asyncProperty(faultyRequest(report, firm), (request) => ask(request, 0)),
      { seed, numRuns: Math.ceil(numRuns / 3), ...limits },
    );
  });
});
