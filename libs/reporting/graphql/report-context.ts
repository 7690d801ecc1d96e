import type { RequestContext } from '#platform/request-context';
import type { SplicedAnswer } from './spliced-answer';

/** What an answer says of its rows. */
export interface ReportNotes {
  /** The number of rows of all pages, when this page reached the end; else -1. */
  lastRow: number;
  pivotResultFields: { field: string; keys: unknown[]; colId: string }[];
  /** Sort columns that do not apply at the level of the rows. */
  ignoredSort: string[];
  /** Where the rows were read from, when the caller asks. */
  plan?: string;
}

/** Context of a GraphQL request. */
export interface ReportContext {
  request: RequestContext;
  /** When it comes the client has its answer, or has gone and waits for none. */
  gone: AbortSignal;
  /** `x-explain: 1` was sent. */
  explains: boolean;
  answer: SplicedAnswer;
  /** `extensions.report` of the answer, by the query's name in the answer. */
  notes: Record<string, ReportNotes>;
}
