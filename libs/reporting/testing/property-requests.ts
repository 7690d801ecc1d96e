import * as fc from 'fast-check';
import type { NaiveReport } from './naive-columns';
import type { Asked } from './naive-report';
import { someCriteria } from './property-criteria';
import { someMoment } from './property-draws';
import { spoilt } from './property-faults';
import type { PropertyFirm } from './property-firm';
import { someSlice } from './property-slices';
import { instantOf } from './property-work';

/** Requests to a firm and a report, before the next firm. */
export const RUNS_A_FIRM = 150;

/** What a client asks, and when. */
export interface Request extends Asked {
  report: NaiveReport['name'];
  now: Date;
}

/** A request that the report answers, but for what only its rows can tell. */
export function someRequest(report: NaiveReport, { place, rows }: PropertyFirm): fc.Arbitrary<Request> {
  const known = rows[report.name];
  return fc.record({
    report: fc.constant(report.name),
    criteria: someCriteria(report, known),
    slice: someSlice(report, known),
    now: someMoment.map((moment) => instantOf(moment, place.zone)),
  });
}

/** The same with something wrong in it. */
export function faultyRequest(report: NaiveReport, firm: PropertyFirm): fc.Arbitrary<Request> {
  return fc
    .tuple(someRequest(report, firm), spoilt(report))
    .map(([{ criteria, slice, ...rest }, spoil]) => ({ ...rest, ...spoil({ criteria, slice }) }));
}
