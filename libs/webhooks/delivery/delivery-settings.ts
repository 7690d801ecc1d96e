/** What a worker keeps to; tests set other values. */
export class DeliverySettings {
  /** Deliveries of an endpoint that are under way at once. */
  concurrency = 5;
  /** Endpoints that a worker serves at once, beside those that wait for a read model. */
  lanes = 200;
  /** A worker that died is followed by another after so long. */
  leaseMs = 5_000;
  /** How often is looked for what no signal told of. */
  pollMs = 1_000;
  /** Deliveries of an endpoint that are made ready ahead. */
  ahead = 128;
  /** Characters of records that are read ahead, for all endpoints together. */
  aheadChars = 32 * 1024 * 1024;
  /** Those that one statement is expected to read: its rows are in memory together, which takes several times as much. */
  atOnceChars = 1024 * 1024;
  /** A record that is older is read anew before it is sent. */
  freshMs = 1_000;
  /** What waits longer for the read model of its record holds up no others. */
  lateMs = 1_000;
  random: () => number = Math.random;
}
