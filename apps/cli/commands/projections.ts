import type { Writable } from 'node:stream';
import { Command, InvalidArgumentError, Option } from 'commander';
import { DateTime } from 'luxon';
import { invalid } from '#kernel/errors';
import { requireOwnDatabases } from '#platform/database/named-databases';
import { type Audited, ProjectionAudit } from '#projections/audit/projection-audit';
import { ProjectionExport } from '#projections/audit/projection-export';
import { ParkedTenants } from '#projections/parked-tenants';
import { ProjectionStatus } from '#projections/projection-status';
import { ProjectionRebuild } from '#projections/rebuild/projection-rebuild';
import type { Rebuilt } from '#projections/rebuild/rebuild-run';
import { writeWhole } from '../output-file';
import { proofLines } from '../proofs';
import type { Session } from '../session';

type Chosen = { all?: boolean; tenant?: string };

export function projectionsCommand(session: Session): Command {
  const projections = new Command('projections').description('the read models');
  for (const add of [addList, addRebuild, addAudit, addRetry, addExport]) add(projections, session);
  return projections;
}

function addList(projections: Command, session: Session): void {
  projections
    .command('list')
    .description(
      'all read models: which generation is live, how far behind it is, which tenants are parked or held',
    )
    .action(async () => {
      session.print(await session.use(ProjectionStatus, (status) => status.list()));
    });
}

function addRebuild(projections: Command, session: Session): void {
  chosen(projections.command('rebuild'))
    .description(
      'builds read models again from the events; the present ones answer until the new are complete',
    )
    .action(async (names: string[], options: Chosen) => {
      await requireOwnDatabases(await session.config());
      const results = await session.use(ProjectionRebuild, async (rebuild) => {
        const rebuilt: Rebuilt[] = [];
        for (const name of named(names, options, rebuild.names))
          rebuilt.push(await rebuildOne(session, rebuild, name, options.tenant));
        return rebuilt;
      });
      session.print(options.all || names.length > 1 ? results : results[0]);
    });
}

function addAudit(projections: Command, session: Session): void {
  chosen(projections.command('audit'))
    .description('proves that read models are what the events say; exits with 1 and the keys that differ')
    .option('--as-of <instant>', 'compares what has not changed since then', instant)
    .action(async (names: string[], options: Chosen & { asOf?: Date }) => {
      const { tenant, asOf } = options;
      const results = await session.use(ProjectionAudit, async (audit) => {
        const audited: Audited[] = [];
        for (const name of named(names, options, audit.names))
          audited.push(await audit.audit(name, { tenant, asOf }));
        return audited;
      });
      const answer = options.all || names.length > 1 ? results : results[0];
      const intact = results.every(({ differing }) => differing === 0);
      (intact ? session.print : session.found)(answer, forPeople(results));
    });
}

function addRetry(projections: Command, session: Session): void {
  projections
    .command('retry')
    .description('lets parked tenants go on, once what stopped them has been mended')
    .argument('<name>', 'as in `projections list`')
    .option('--tenant <alias>', 'this tenant alone')
    .action(async (name: string, { tenant }: Chosen) => {
      const results = await session.use(ParkedTenants, (parked) => parked.retry(name, tenant));
      (results.every(({ resumed }) => resumed) ? session.print : session.found)(results);
    });
}

function addExport(projections: Command, session: Session): void {
  projections
    .command('export')
    .description('writes a read model as it stood')
    .argument('<name>', 'as in `projections list`')
    .option('--as-of <instant>', 'what was recorded until then (default: all)', instant)
    .option('--tenant <alias>', 'this tenant alone')
    .addOption(new Option('--format <format>').choices(['csv', 'jsonl']).default('csv'))
    .option('--output <file>', 'a new file, instead of the terminal (-)')
    .action(async (name: string, options: Chosen & ExportChoice) => {
      const { asOf, tenant, format, output } = options;
      const write = (out: Writable) =>
        session.use(ProjectionExport, (all) => all.write(name, { asOf, tenant, format }, out));
      if (output === undefined || output === '-') await write(session.output);
      else session.print({ name, asOf: asOf ?? null, output, rows: await writeWhole(output, write) });
    });
}

interface ExportChoice {
  asOf?: Date;
  format: 'csv' | 'jsonl';
  output?: string;
}

function chosen(command: Command): Command {
  return command
    .argument('[names...]', 'as in `projections list`')
    .option('--all', 'every read model')
    .option('--tenant <alias>', 'this tenant alone');
}

function named(names: string[], { all }: Chosen, known: string[]): string[] {
  if (names.length > 0 && all) throw invalid('usage', 'Names of read models and --all do not go together.');
  if (names.length === 0 && !all) throw invalid('usage', 'Which read model? Give names, or --all.');
  const unknown = names.find((name) => !known.includes(name));
  if (unknown)
    throw invalid('unknown_projection', `There is no projection ${unknown}; there are ${known.join(', ')}.`);
  return all ? known : [...new Set(names)];
}

/** Rebuilds a read model. Ctrl-C abandons the rebuild; a second one ends the command and leaves the rebuild to a projector. */
async function rebuildOne(
  session: Session,
  rebuild: ProjectionRebuild,
  name: string,
  tenant: string | undefined,
): Promise<Rebuilt> {
  const progress = session.progress(name);
  const stopping = new AbortController();
  const stop = () => stopping.abort(invalid('stopped', `The rebuild of ${name} was given up.`));
  process.once('SIGINT', stop);
  try {
    return await rebuild.rebuild(name, {
      tenant,
      signal: stopping.signal,
      progress: ({ phase, events, total }) => progress?.show(phase, events, total),
    });
  } catch (error) {
    if (stopping.signal.aborted) await rebuild.discard(name);
    throw error;
  } finally {
    process.off('SIGINT', stop);
    progress?.end();
  }
}

function forPeople(results: Audited[]): object[] {
  return proofLines(
    results,
    ({ tenant, key, problem, columns }) => ({ tenant, key, problem, columns }),
    ({ name, rows, differing, changedSince, parked }) => ({
      name,
      rows,
      differing,
      changedSince,
      parked: parked.join(', ') || 'none',
    }),
  );
}

/** The accepted form of an instant. Narrower than luxon's: hours need minutes, and the offset must exist. */
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$/;

function instant(text: string): Date {
  // luxon rather than Date, which reads the 30th of February as the 2nd of March.
  const given = DateTime.fromISO(text);
  if (!INSTANT.test(text) || !given.isValid)
    throw new InvalidArgumentError(
      `"${text}" is not an instant with its offset, as 2026-03-31T23:59:59Z (ISO 8601).`,
    );
  return given.toJSDate();
}
