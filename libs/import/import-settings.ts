/** Durations and sizes of imports; tests use their own. */
export class ImportSettings {
  /** After this time another worker may take over the requests of a worker that died. */
  leaseMs = 15_000;
  /** How often a worker renews its lease, and learns of a cancellation. */
  heartbeatMs = 1_000;
  /** How often a worker looks for queued requests. */
  pollMs = 1_000;
  /** A source that is silent for this long is given up. */
  stallMs = 30_000;
  /** The pause between tries, doubled each time. */
  retryMs = 1_000;
  /** The pause until an import or a promotion that cannot continue is tried again. */
  laterMs = 5_000;
  /** How many tries in a row may fail without a row in between. */
  mostTries = 5;
  /** A transaction stages the rows that arrive within this time, but no more than `chunkRows`. */
  chunkMs = 1_000;
  chunkRows = 50_000;
}
