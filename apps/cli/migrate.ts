import { Command } from 'commander';
import { migrate } from '#platform/migrate';
import type { Session } from './session';

export function migrateCommand(session: Session): Command {
  return new Command('migrate')
    .description('brings the tables of the databases up to date')
    .action(async () => {
      const config = await session.config();
      const write = await migrate(config.databaseUrl, 'write');
      const read = await migrate(config.readDatabaseUrl, 'read');
      session.print({ write, read });
    });
}
