import { Gauge, register } from 'prom-client';

/**
 * Registers a gauge whose values are calculated when it is read. `set` takes a value and its labels, in their order.
 */
export function registerGauge(
  name: string,
  help: string,
  labelNames: string[],
  collect: (set: (value: number, ...labels: string[]) => void) => Promise<void>,
): void {
  register.removeSingleMetric(name);
  new Gauge({
    name,
    help,
    labelNames,
    collect() {
      return collect((value, ...labels) => this.labels(...labels).set(value));
    },
  });
}
