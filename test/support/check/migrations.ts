import 'reflect-metadata';
import { migrate } from '#platform/database/migrate';
import { startDatabaseServer } from '../database-server';

/** Applies all migrations to an empty database. The second time there must be nothing left to do. */
async function main(): Promise<void> {
  const server = await startDatabaseServer();
  try {
    const applied = [...(await migrate(server.url, 'write')), ...(await migrate(server.url, 'read'))];
    const again = [...(await migrate(server.url, 'write')), ...(await migrate(server.url, 'read'))];
    if (applied.length === 0) throw new Error('There are no migrations');
    if (again.length > 0) throw new Error(`Applied a second time: ${again.join(', ')}`);
    console.log(`${applied.length} migrations applied to an empty database`);
  } finally {
    await server.stop();
  }
}

main().catch((error: Error) => {
  console.error(error.message);
  process.exitCode = 1;
});
