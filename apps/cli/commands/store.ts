import { Command } from 'commander';
import { Epochs } from '#event-store/epochs';
import { WriteDatabase } from '#platform/database';
import type { Session } from '../session';

export function storeCommand(session: Session): Command {
  const store = new Command('store').description('the event store as a whole');
  store
    .command('new-epoch')
    .description(
      'puts all new events behind all stored ones: needed once after a restore into another server, harmless otherwise',
    )
    .action(async () => {
      // Only the database is opened: the application refuses to start on a store that needs a new epoch.
      const database = new WriteDatabase(await session.config());
      try {
        const epochs = new Epochs(database);
        const needed = (await epochs.overtaken()) !== undefined;
        const epoch = await epochs.open();
        const note = needed ? 'The store needed it.' : 'The store did not need it; it does no harm.';
        session.print({ epoch, needed }, { epoch, note });
      } finally {
        await database.onApplicationShutdown();
      }
    });
  return store;
}
