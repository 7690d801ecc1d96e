import { DomainError, notFound } from '#kernel/errors';
import { isTransient } from '#platform/database/connection-lost';

/** Steps of an import that a worker has in hand, in their order. */
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

/** How an import ends, before a promotion. */
export type Outcome = 'Validated' | 'ValidatedWithWarnings' | 'ValidationFailed' | 'Failed' | 'Cancelled';
export type PromotionStatus = 'PromotionQueued' | 'Promoting' | 'Promoted' | 'PromotionFailed';
export type ImportStatus = Step | Outcome | PromotionStatus;

/** In these an import can be promoted, as long as its staged rows are kept. */
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

/** What whoever waits for it is told at each step. */
export const messages: Record<Step, string> = {
  Queued: 'Waiting for a worker.',
  Connecting: 'Connecting to the source.',
  CheckingSchema: 'Checking the tables of the source.',
  Extracting: 'Reading the tables.',
  Validating: 'Checking every row.',
  Loading: 'Loading the records into the staging tenant.',
  Reconciling: 'Comparing counts and sums with the source.',
};

/** How one ends that somebody has cancelled, and what is told of it. */
export const cancelled = { outcome: 'Cancelled', message: 'Cancelled on request.' } as const;

/** Until then the source is read. */
export function needsSource(status: Step): boolean {
  return steps.indexOf(status) < steps.indexOf('Validating');
}

/** As they are given: UUIDs in small letters. */
export const REQUEST_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** @throws DomainError `not_found` when the text is no id of a request */
export function requestIdOf(text: string): string {
  if (!REQUEST_ID.test(text)) throw notFound('import');
  return text;
}

/** A row of import.requests. */
export interface RequestRow {
  id: string;
  tenant_id: number;
  kind: 'Import' | 'Promotion';
  status: ImportStatus;
  message: string;
  connection: string | null;
  schema_version: string | null;
  staging_tenant_id: number | null;
  errors: number;
  warnings: number;
  rows_per_second: number | null;
  is_kept: boolean;
  cancel_requested: boolean;
  queued_at: Date;
  started_at: Date | null;
  updated_at: Date;
  finished_at: Date | null;
}

/** Another worker has the import by now: what this one would still do does not count. */
export class LeaseLost extends Error {
  constructor() {
    super('Another worker has taken the import over.');
  }
}

/** Somebody has asked for its end. */
export class ImportCancelled extends Error {
  constructor() {
    super('The import was cancelled.');
  }
}

/** The process ends; another goes on. */
export class WorkerEnding extends Error {
  constructor() {
    super('The process ends.');
  }
}

/** The import cannot go on, and the message says why, to the customer. */
export class ImportFailed extends Error {}

/** Whether nothing is wrong but that a database went away or did not answer: whoever takes the request next goes on. */
export function isDatabaseAway(error: unknown): boolean {
  // The event store says so in its own words.
  if (error instanceof DomainError) return error.code === 'store_unavailable';
  return isTransient(error);
}

/** A request over which so many turns died would take the next one too. */
export const MOST_DEATHS = 5;
