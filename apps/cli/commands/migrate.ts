import { Command } from 'commander';
import { migrateDatabases } from '#platform/database/named-databases';
import type { Session } from '../session';

export function migrateCommand(session: Session): Command {
  return new Command('migrate')
    .description('brings the tables of the databases up to date')
    .action(async () => {
      session.print(await migrateDatabases(await session.config()));
    });
}
