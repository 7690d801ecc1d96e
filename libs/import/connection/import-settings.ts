/** Times and sizes of imports; tests have their own. */
export class ImportSettings {
  /** A worker that died loses what it had in hand after this. */
  leaseMs = 15_000;
  /** How often a worker says that it is there, and hears of a cancellation. */
  heartbeatMs = 1_000;
  /** How often a worker looks for something to do. */
  pollMs = 1_000;
  /** Imports that a worker has in hand: a slow source does not keep the others waiting. */
  atOnce = 2;
  /** A source that is silent for so long is given up. */
  stallMs = 30_000;
  /** Between tries, doubled each time. */
  retryMs = 1_000;
  /** Until an import or a promotion that cannot go on is taken up again. */
  laterMs = 5_000;
  /** How often erasures are repeated in staging tenants. */
  erasuresMs = 30_000;
  /** Tries without a row in between. */
  mostTries = 5;
  /** What is staged in one transaction: as much as comes in this time, or so many rows. */
  chunkMs = 1_000;
  chunkRows = 50_000;
}
