import { conflict, DomainError, notFound } from '#kernel/errors';
import { isTransient } from '#platform/database/connection-lost';

/** The steps of an import in progress, in their order. */
export const steps = [
  'Queued',
  'Connecting',
  'CheckingSchema',
  'Extracting',
  'Validating',
  'Loading',
  'Reconciling',
] as const;
export type Step = (typeof steps)[number];

/** The possible ends of an import, before a promotion. */
export type Outcome = 'Validated' | 'ValidatedWithWarnings' | 'ValidationFailed' | 'Failed' | 'Cancelled';
export type PromotionStatus = 'PromotionQueued' | 'Promoting' | 'Promoted' | 'PromotionFailed';
export type ImportStatus = Step | Outcome | PromotionStatus;

/** The states of a promotion that is under way. */
export const underWay: readonly PromotionStatus[] = ['PromotionQueued', 'Promoting'];

/** The states of imports and promotions that are under way. */
export const live: readonly ImportStatus[] = [...steps, ...underWay];

/** The states in which an import can be promoted, as long as its staged rows are kept. */
export const promotable: readonly ImportStatus[] = ['Validated', 'ValidatedWithWarnings', 'PromotionFailed'];

export const statuses: readonly ImportStatus[] = [
  ...steps,
  'Validated',
  'ValidatedWithWarnings',
  'ValidationFailed',
  'Failed',
  'PromotionQueued',
  'Promoting',
  'Promoted',
  'PromotionFailed',
  'Cancelled',
];

/** The message of an import's status at each step. */
export const messages: Record<Step, string> = {
  Queued: 'Waiting for a worker.',
  Connecting: 'Connecting to the source.',
  CheckingSchema: 'Checking the tables of the source.',
  Extracting: 'Reading the tables.',
  Validating: 'Checking every row.',
  Loading: 'Loading the records into the staging tenant.',
  Reconciling: 'Comparing counts and sums with the source.',
};

/** The end of a cancelled import, and its message. */
export const cancelled = { outcome: 'Cancelled', message: 'Cancelled on request.' } as const;

/** Whether an import in this step still reads its source. */
export function needsSource(status: Step): boolean {
  return steps.indexOf(status) < steps.indexOf('Validating');
}

/** The message of an import or a promotion that has failed for a reason that is not the customer's. */
export const OUR_FAULT = 'Something went wrong on our side. Tell the operator.';

/** The beginning of a message about errors in the report. */
export function errorsFound(count: number): string {
  return count === 1 ? 'There is 1 error' : `There are ${count} errors`;
}

/** The error 409 when the tenant has a request already. */
export function importInProgress(): DomainError {
  return conflict(
    'import_in_progress',
    'Another import of the tenant is under way: wait for it, or cancel it.',
  );
}

/** The form of request ids: UUIDs in lower case. */
export const REQUEST_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** @throws DomainError `not_found` when the text is no id of a request */
export function requestIdOf(text: string): string {
  if (!REQUEST_ID.test(text)) throw notFound('import');
  return text;
}

/** A row of import.requests, as it is shown. */
export interface RequestRow {
  id: string;
  kind: 'Import' | 'Promotion';
  status: ImportStatus;
  message: string;
  schema_version: string | null;
  errors: number;
  warnings: number;
  rows_per_second: number | null;
  is_kept: boolean;
  queued_at: Date;
  started_at: Date | null;
  updated_at: Date;
  finished_at: Date | null;
  /** The alias of its staging tenant, unless that was retired. */
  staging_alias: string | null;
}

/** Another worker holds the request by now: this one must not do anything more. */
export class LeaseLost extends Error {
  constructor() {
    super('Another worker has taken the import over.');
  }
}

/** The import's cancellation was requested. */
export class ImportCancelled extends Error {
  constructor() {
    super('The import was cancelled.');
  }
}

/** The worker's process ends; another one continues. */
export class WorkerEnding extends Error {
  constructor() {
    super('The process ends.');
  }
}

/** The import has failed. The message tells the customer why. */
export class ImportFailed extends Error {}

/** Whether an error only means that a database went away or did not answer, so that the next turn can continue. */
export function isDatabaseAway(error: unknown): boolean {
  // The event store has an error of its own for this.
  if (error instanceof DomainError) return error.code === 'store_unavailable';
  return isTransient(error);
}

/** The number of turns that may die during one step. After that, the request would bring the next turn down as well. */
export const MOST_DEATHS = 5;
