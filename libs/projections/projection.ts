import type { PoolClient } from 'pg';
import type { RecordedEvent } from '#event-store/events';

/** Builds read tables from events. Nothing else knows its tables. */
export interface Projection {
  /** As in checkpoints and on the command line, with dashes: `work-items`. */
  name: string;
  /** Raised whenever the same events make other rows. */
  version: number;
  /** Tables in schema read_model, LIST-partitioned by generation. */
  tables: readonly string[];
  eventTypes: ReadonlySet<string>;
  /** Folds events, in feed order, into row changes of one generation. Runs in the checkpoint's transaction. */
  apply(client: PoolClient, generation: number, events: RecordedEvent[]): Promise<void>;
}
