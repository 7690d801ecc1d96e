import { Counter, Gauge, Histogram, register } from 'prom-client';

const attempts = 'webhook_attempts_total';
const seconds = 'webhook_attempt_seconds';
const served = 'webhook_endpoints_served';
for (const name of [attempts, seconds, served]) register.removeSingleMetric(name);

const counted = new Counter({
  name: attempts,
  help: 'Attempts to deliver a message: `delivered`, or why not: an HTTP status or the name of an error.',
  labelNames: ['result'],
});
const delivered = counted.labels('delivered');
const timed = new Histogram({
  name: seconds,
  help: 'How long an attempt took, from looking the name up to the end of the answer.',
  buckets: [0.005, 0.02, 0.1, 0.5, 1, 5, 15],
});

const serving = new Gauge({
  name: served,
  help:
    'Webhooks that this worker serves at the moment: `prompt`, `slow` ones, whose receivers take longer than a second ' +
    'to answer, and those `waiting` for a read model. It serves 200 prompt ones at once; others wait for a place.',
  labelNames: ['kind'],
});

export const deliveryMetrics = {
  serves(numbers: Record<'prompt' | 'slow' | 'waiting', number>): void {
    for (const [kind, number] of Object.entries(numbers)) serving.set({ kind }, number);
  },
  attempt(
    succeeded: boolean,
    status: number | undefined,
    error: string | undefined,
    milliseconds: number,
  ): void {
    if (succeeded) delivered.inc();
    else counted.inc({ result: error === 'status' ? String(status) : (error ?? 'unknown') });
    timed.observe(milliseconds / 1000);
  },
};
