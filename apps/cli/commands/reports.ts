import { Command } from 'commander';
import { type Reconciled, Reconciliation } from '#projections/audit/reconciliation';
import { proofLines } from '../proofs';
import type { Session } from '../session';

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

function forPeople(results: Reconciled[]): object[] {
  return proofLines(
    results,
    ({ row, ...each }) => ({ ...each, row: JSON.stringify(row) }),
    ({ name, rows, differing }) => ({ name, rows, differing }),
  );
}
