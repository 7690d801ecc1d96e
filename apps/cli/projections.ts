import { Command } from 'commander';
import { ProjectionRebuild } from '#projections/projection-rebuild';
import type { Session } from './session';

export function projectionsCommand(session: Session): Command {
  const projections = new Command('projections').description('the read models');
  projections
    .command('rebuild')
    .description(
      'builds a read model again from the events; the present one answers until the new one is complete',
    )
    .argument('<name>', 'as in `projections list`')
    .action(async (name: string) => {
      session.print(await session.use(ProjectionRebuild, (rebuild) => rebuild.rebuild(name)));
    });
  projections
    .command('list')
    .description('all read models with the generation that is live')
    .action(async () => {
      session.print(await session.use(ProjectionRebuild, (rebuild) => rebuild.list()));
    });
  return projections;
}
