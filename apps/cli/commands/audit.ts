import { Command } from 'commander';
import { type KeptSeal, SealVerification } from '#event-store/seals/seal-verification';
import { Seals } from '#event-store/seals/seals';
import type { Session } from '../session';
import { readKept } from './kept-answers';

const HEADS = { command: 'audit head', code: 'heads_invalid' };

export function auditCommand(session: Session): Command {
  const audit = new Command('audit').description('the proof that no event was changed');

  audit
    .command('seal')
    .description('seals now what the worker would seal within seconds or, after much work, minutes')
    .action(async () => {
      session.print({ sealed: await session.use(Seals, (seals) => seals.sealNow()) });
    });

  audit
    .command('verify')
    .description('compares every event with its seal; exit code 1 when one was changed, removed or inserted')
    .option('--tenant <alias>', 'this one only')
    .option(
      '--heads <file>',
      'what `audit head --json` printed earlier: the chains must still hold these seals',
    )
    .action(async ({ tenant, heads }: { tenant?: string; heads?: string }) => {
      const kept = heads === undefined ? [] : await readKept(heads, HEADS, isKeptSeal);
      const tenants = await session.use(SealVerification, (seals) => seals.verify(tenant, kept));
      const intact = tenants.every(({ problem }) => problem === null);
      const lines = tenants.map(({ problem, ...proof }) => ({
        ...proof,
        problem: problem?.message ?? 'none',
      }));
      (intact ? session.print : session.found)({ intact, tenants }, lines);
    });

  audit
    .command('head')
    .description('the latest seal of each tenant: keep it elsewhere, for --heads')
    .option('--tenant <alias>', 'this one only')
    .action(async ({ tenant }: { tenant?: string }) => {
      session.print(await session.use(Seals, (seals) => seals.heads(tenant)));
    });
  return audit;
}

function isKeptSeal(value: unknown): value is KeptSeal {
  const { tenant, tenantId, number, seal } = (value ?? {}) as Partial<KeptSeal>;
  return (
    typeof tenant === 'string' &&
    (tenantId === undefined || Number.isInteger(tenantId)) &&
    Number.isInteger(number) &&
    Number(number) > 0 &&
    Number(number) < 2 ** 31 &&
    typeof seal === 'string' &&
    /^[0-9a-f]{64}$/.test(seal)
  );
}
