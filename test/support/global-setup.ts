import { randomBytes } from 'node:crypto';
import { migrate } from '../../libs/platform/database/migrate';
import { execute } from './database';
import { startDatabaseServer } from './database-server';
import { serveShared } from './shared';
import { startOperator } from './start-operator';

/**
 * Starts the run's database server, migrates the template of its test databases, and starts its operator. If
 * TEST_DATABASE_URL is set, that server is used; its user must be allowed to create databases. What the test files
 * share starts when the first of them asks for it.
 */
export default async function globalSetup(): Promise<void> {
  const given = process.env.TEST_DATABASE_URL;
  const stops: (() => Promise<unknown>)[] = [];
  /** Stops everything, the last one first, even if some fail. */
  globalThis.stopTestServers = async () => {
    const failed: unknown[] = [];
    for (const stop of stops.splice(0).reverse()) await stop().catch((error) => failed.push(error));
    if (failed.length > 0) throw failed[0];
  };
  try {
    const server = given ? { url: given, stop: async () => {} } : await startDatabaseServer();
    stops.push(server.stop);
    const template = `practice_template_${randomBytes(6).toString('hex')}`;
    stops.push(() => execute(server.url, `DROP DATABASE IF EXISTS ${template} WITH (FORCE)`));
    await execute(server.url, `CREATE DATABASE ${template}`);
    const templateUrl = new URL(server.url);
    templateUrl.pathname = template;
    await migrate(templateUrl.href, 'write');
    await migrate(templateUrl.href, 'read');
    const [operator, shared] = [await startOperator(), await serveShared()];
    stops.push(operator.stop, shared.stop);
    // inherited by Jest's workers
    process.env.TEST_SERVER_URL = server.url;
    process.env.TEST_TEMPLATE = template;
    process.env.TEST_OPERATOR_URL = operator.url;
    process.env.TEST_SHARED_URL = shared.url;
  } catch (error) {
    await globalThis.stopTestServers();
    throw error;
  }
}

declare global {
  var stopTestServers: () => Promise<void>;
}
