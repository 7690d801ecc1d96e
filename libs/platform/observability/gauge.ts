import { setTimeout as delay } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { Counter, Gauge, register } from 'prom-client';

/** How long a gauge may take to be calculated. By default, Prometheus waits ten seconds for all metrics together. */
const PATIENCE_MS = 3_000;

type SetValue = (value: number, ...labels: string[]) => void;

const failures = new Counter({
  name: 'metric_collection_failures_total',
  help: 'How often a metric was left out because its value could not be calculated within three seconds.',
  labelNames: ['metric'],
});
const failing = new Set<string>();
const log = new Logger('Metrics');

/**
 * Registers a gauge whose values are calculated when it is read. `set` takes a value and its labels, in their order.
 * When the calculation fails or takes too long, the gauge has no values: prom-client would refuse all metrics of the
 * process.
 */
export function registerGauge(
  name: string,
  help: string,
  labelNames: string[],
  collect: (set: SetValue) => Promise<void>,
): void {
  register.removeSingleMetric(name);
  failures.inc({ metric: name }, 0);
  new Gauge({
    name,
    help,
    labelNames,
    async collect() {
      const values = await valuesInTime(name, collect);
      this.reset();
      // The reset of a gauge without labels sets it to 0.
      if (labelNames.length === 0) this.remove();
      for (const [value, labels] of values) this.labels(...labels).set(value);
    },
  });
}

type Values = [value: number, labels: string[]][];

async function valuesInTime(name: string, collect: (set: SetValue) => Promise<void>): Promise<Values> {
  const values: Values = [];
  const late = delay(PATIENCE_MS, undefined, { ref: false }).then(() => {
    throw new Error(`its value was not known after ${PATIENCE_MS / 1000} s`);
  });
  try {
    await Promise.race([collect((value, ...labels) => void values.push([value, labels])), late]);
  } catch (error) {
    noteFailure(name, error as Error);
    return [];
  }
  noteSuccess(name);
  return values;
}

/** Logs only the first of several failing gauges: they usually fail for the same reason. */
function noteFailure(name: string, error: Error): void {
  failures.inc({ metric: name });
  if (failing.size === 0) log.warn(`/metrics lacks ${name}, and perhaps others: ${error.message}`);
  failing.add(name);
}

function noteSuccess(name: string): void {
  if (failing.delete(name) && failing.size === 0) log.log('/metrics is complete again');
}
