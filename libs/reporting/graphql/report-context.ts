import type { RequestContext } from '#platform/request-context';
import type { SplicedAnswer } from './spliced-answer';

/** Metadata about the rows of an answer. */
export interface ReportNotes {
  /** The total number of rows when this page reached the end, otherwise -1. */
  lastRow: number;
  pivotResultFields: { field: string; keys: unknown[]; colId: string }[];
  /** Sort columns that do not apply to rows of this level. */
  ignoredSort: string[];
  /** The source that the rows were read from, when the caller asks for it. */
  plan?: string;
}

/** Context of a GraphQL request. */
export interface ReportContext {
  request: RequestContext;
  /** Aborts when the client has received its answer or has closed the connection. */
  gone: AbortSignal;
  /** The request has the header `x-explain: 1`. */
  explains: boolean;
  answer: SplicedAnswer;
  /** `extensions.report` of the answer, keyed by the name of the query's field in the answer. */
  notes: Record<string, ReportNotes>;
}
