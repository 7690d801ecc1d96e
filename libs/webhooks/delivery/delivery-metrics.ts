import { Counter, Histogram, register } from 'prom-client';

const attempts = 'webhook_attempts_total';
const seconds = 'webhook_attempt_seconds';
register.removeSingleMetric(attempts);
register.removeSingleMetric(seconds);

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

export const deliveryMetrics = {
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
