/** The limits and intervals of a worker; tests set other values. */
export class DeliverySettings {
  /** Deliveries of an endpoint that may be under way at once. */
  concurrency = 5;
  /** Endpoints that a worker serves at once, not counting slow ones and those that wait for a read model. */
  lanes = 200;
  /** An endpoint is slow while its attempts take longer than this. */
  slowMs = 1_000;
  /** Slow endpoints that a worker serves besides the others. */
  slowLanes = 1_000;
  /** Deliveries that may be under way to all slow endpoints together, and one to each in any case. */
  slowUnderWay = 1_000;
  /** How long a lease lasts: another worker takes over from one that died after this time. */
  leaseMs = 5_000;
  /** How often a worker looks for deliveries that no signal told of. */
  pollMs = 1_000;
  /** Deliveries of an endpoint that are made ready ahead of their turn. */
  ahead = 128;
  /** Characters of records that are read ahead, for all endpoints together. */
  aheadChars = 32 * 1024 * 1024;
  /**
   * Characters of records that one statement is expected to read. Its rows are in memory together, which takes several
   * times as much.
   */
  atOnceChars = 1024 * 1024;
  /** A record that is older is read again before it is sent. */
  freshMs = 1_000;
  /** A delivery that waits longer than this for its record's read model no longer holds up others. */
  lateMs = 1_000;
  random: () => number = Math.random;
}
