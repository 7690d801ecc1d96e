import { randomBytes } from 'node:crypto';
import { migrate } from '../../libs/platform/migrate';
import { execute } from './database';
import { startDatabaseServer } from './database-server';
import { startOperator } from './start-operator';

/**
 * Starts the server of the whole run and migrates the template of its test databases, and starts its operator. With
 * TEST_DATABASE_URL set, that server is used: its user must be allowed to create databases.
 */
export default async function globalSetup(): Promise<void> {
  const given = process.env.TEST_DATABASE_URL;
  const server = given ? { url: given, stop: async () => {} } : await startDatabaseServer();
  const template = `practice_template_${randomBytes(6).toString('hex')}`;
  let operator: Awaited<ReturnType<typeof startOperator>> | undefined;
  globalThis.stopTestServers = async () => {
    await operator?.stop();
    await execute(server.url, `DROP DATABASE IF EXISTS ${template} WITH (FORCE)`);
    await server.stop();
  };
  try {
    await execute(server.url, `CREATE DATABASE ${template}`);
    const templateUrl = new URL(server.url);
    templateUrl.pathname = template;
    await migrate(templateUrl.href, 'write');
    await migrate(templateUrl.href, 'read');
    operator = await startOperator();
  } catch (error) {
    await globalThis.stopTestServers();
    throw error;
  }
  // inherited by Jest's workers
  process.env.TEST_SERVER_URL = server.url;
  process.env.TEST_TEMPLATE = template;
  process.env.TEST_OPERATOR_URL = operator.url;
}

declare global {
  var stopTestServers: () => Promise<void>;
}
