import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Dashboard {
  panels: { id: number; targets?: { expr: string }[] }[];
}

/** The example dashboard in docs/. */
export function readDashboard(): Dashboard {
  return JSON.parse(readFileSync(join(__dirname, '../../docs/grafana/practice-management.json'), 'utf8'));
}

/** The metrics that a dashboard's expressions name. */
export function metricsOf({ panels }: Dashboard): string[] {
  const names = panels
    .flatMap(({ targets = [] }) => targets.map(({ expr }) => expr))
    .map((expr) => expr.replace(/\{[^}]*\}|\[[^\]]*\]|\b(by|without) \([^)]*\)/g, ' '))
    .flatMap((expr) => expr.match(/\b[a-z][a-z0-9_]*\b(?! *\()/g) ?? [])
    .filter((word) => !['sum', 'max', 'min', 'avg'].includes(word));
  return [...new Set(names)];
}

/** Whether a scrape has the metric, or the histogram or summary to which it belongs. */
export function hasMetric(metrics: string, name: string): boolean {
  const family = name.replace(/_(bucket|count|sum)$/, '');
  return new RegExp(`^# TYPE (${name}|${family}) `, 'm').test(metrics);
}
