import * as fc from 'fast-check';
import type { NaiveReport } from './naive-columns';
import type { Sent } from './naive-criteria';
import type { Asked } from './naive-report';
import { someCriteria, usualCriteria } from './property-criteria';
import { someMoment } from './property-draws';
import { spoilt } from './property-faults';
import type { PropertyFirm } from './property-firm';
import { anyShape, deepPage, oneDimension, type Shape } from './property-shapes';
import { slicesOf } from './property-slices';
import { instantOf } from './property-work';

/** Number of requests for each firm and report. */
export const RUNS_A_FIRM = 100;

/** A client's request and its time. */
export interface Request extends Asked {
  report: NaiveReport['name'];
  now: Date;
}

/** A request that the report answers, except for faults that depend on the rows. */
export function someRequest(report: NaiveReport, { place, rows }: PropertyFirm): fc.Arbitrary<Request> {
  const known = rows[report.name];
  const [usual, any] = [usualCriteria(report), someCriteria(report, known)];
  const ask = (criteria: fc.Arbitrary<Sent>, shapes: fc.Arbitrary<Shape>) =>
    fc.record({ criteria, slice: slicesOf(report, known, shapes) });
  const asked = fc.oneof(
    { weight: 5, arbitrary: ask(any, anyShape(report, known.length)) },
    { weight: 4, arbitrary: ask(usual, oneDimension(report)) },
    { weight: 1, arbitrary: ask(usual, deepPage(report, known.length)) },
  );
  const now = someMoment.map((moment) => instantOf(moment, place.zone));
  return fc.noBias(fc.tuple(asked, now).map(([one, at]) => ({ report: report.name, ...one, now: at })));
}

/** A request with a fault in it. */
export function faultyRequest(report: NaiveReport, firm: PropertyFirm): fc.Arbitrary<Request> {
  return fc
    .tuple(someRequest(report, firm), spoilt(report))
    .map(([{ criteria, slice, ...rest }, spoil]) => ({ ...rest, ...spoil({ criteria, slice }) }));
}
