import { Command } from 'commander';
import { type Reconciled, Reconciliation } from '#projections/reconciliation';
import type { Session } from './session';

export function reportsCommand(session: Session): Command {
  const reports = new Command('reports').description('what the reports are read from');

  reports
    .command('reconcile')
    .description(
      'proves that facts and sums are what the work items and fees say; exits with 1 and the rows that differ',
    )
    .option('--tenant <alias>', 'this tenant alone')
    .action(async ({ tenant }: { tenant?: string }) => {
      const results = await session.use(Reconciliation, (reconciliation) => reconciliation.run(tenant));
      const intact = results.every(({ differing }) => differing === 0);
      (intact ? session.print : session.found)(results, forPeople(results));
    });
  return reports;
}

/** A line for each row that differs or, when none does, a line a read model. */
function forPeople(results: Reconciled[]): object[] {
  const differences = results.flatMap(({ name, differing, differences: listed }) => [
    ...listed.map(({ row, ...each }) => ({ ...each, row: JSON.stringify(row) })),
    ...(differing > listed.length ? [{ name, row: `${differing - listed.length} more` }] : []),
  ]);
  if (differences.length > 0) return differences;
  return results.map(({ name, rows, differing }) => ({ name, rows, differing }));
}
