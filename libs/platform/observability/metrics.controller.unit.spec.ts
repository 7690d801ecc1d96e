import { Gauge, register } from 'prom-client';
import { MetricsController } from './metrics.controller';

afterEach(() => register.clear());

it('collects the values once for all who ask meanwhile, and anew for the next', async () => {
  const gauge: Gauge = new Gauge({
    name: 'collected_times',
    help: 'How often it was collected.',
    collect: () => gauge.inc(),
  });
  const controller = new MetricsController();
  const [one, other] = await Promise.all([controller.metrics(), controller.metrics()]);
  expect(other).toBe(one);
  expect(one).toContain('collected_times 1');
  expect(await controller.metrics()).toContain('collected_times 2');
});
