import type { Source } from '../sources/source';
import { SourceChoice } from '../sources/source-choice';
import { naiveReports } from './naive-columns';
import { type NaiveAnswer, naiveAnswer } from './naive-report';
import type { PropertyFirm } from './property-firm';
import type { Request } from './property-requests';
import type { ReportsApplication } from './reports-application';

/** The answer of the running report: fields in their order, or the reason why it refuses. */
export type Answer =
  | { status: number; code: string; fault: { reason: string; path: string } }
  | Exclude<NaiveAnswer, { faults: unknown }>;

/**
 * The answers to one request, one for each way to compute it: all must be equal. The first is by the source that the
 * service chooses, the others by each source that could answer, with a look-up of the page's day from the second row
 * on, and with pages that are never read record by record.
 */
export async function answersOf(
  reports: ReportsApplication,
  firm: PropertyFirm,
  request: Request,
): Promise<Answer[]> {
  const choice = reports.app.get(SourceChoice);
  const kinds = new Set<Source['kind']>();
  choice.of = (sources) => {
    for (const { kind } of sources) kinds.add(kind);
    return sources[0];
  };
  choice.deepFrom = 1_000;
  choice.manyKeys = 100;
  const answers = [await answerOf(reports, firm, request)];
  choice.deepFrom = 1;
  choice.manyKeys = 0;
  for (const kind of kinds) {
    choice.of = (sources) => sources.find((source) => source.kind === kind) ?? sources[0];
    answers.push(await answerOf(reports, firm, request));
  }
  return answers;
}

async function answerOf(
  reports: ReportsApplication,
  { context }: PropertyFirm,
  { report, criteria, slice, now }: Request,
): Promise<Answer> {
  reports.now = now;
  const { status, body } = await reports.post(report, slice, criteria, context.tenant.alias);
  if (body.errors) {
    const [{ extensions }] = body.errors;
    return { status, code: extensions.code, fault: { reason: extensions.reason, path: extensions.path } };
  }
  const { lastRow, pivotResultFields, ignoredSort } = body.extensions.report[report];
  const rows = body.data[report].map(Object.entries);
  return { rows, lastRow, pivotResultFields, ignoredSort };
}

/** The answer that reporting.md specifies. */
export function expectedOf({ place, rows }: PropertyFirm, request: Request): NaiveAnswer {
  const tenant = { ...place, now: request.now };
  const report = naiveReports.find(({ name }) => name === request.report)!;
  return naiveAnswer(report, rows[request.report], request, tenant);
}

/** Expects equal answers, or any of the faults: the service may report whichever it finds first. */
export function expectSame(answer: Answer, expected: NaiveAnswer): void {
  if ('faults' in expected) {
    expect(answer).toMatchObject({ status: 400, code: 'BAD_USER_INPUT' });
    expect(expected.faults).toContainEqual('fault' in answer && answer.fault);
  } else expect(answer).toEqual(expected);
}
