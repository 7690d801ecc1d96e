import { createServer } from 'node:http';
import { TdsServer } from '../../support/tds/tds-server';

/** A firm's SQL Server as a process of its own: the schema `etl` of SOURCE_URL. GET `/source` tells how to reach it. */
async function main(): Promise<void> {
  const source = await TdsServer.start({ database: process.env.SOURCE_URL! });
  const told = { connectionString: source.connectionString(), ca: source.caCertificate };
  const server = createServer((request, response) => {
    response.end(request.url === '/source' ? JSON.stringify(told) : 'ok');
  });
  server.listen(Number(process.env.PORT), process.env.HOST);
  process.on('SIGTERM', () => process.exit(0));
}

void main();
