// PostGraphile as its documentation sets it up for production, with pg-aggregates, the filters that a range of days
// needs, a pool of its own, and no log of queries. It needs no token.
import { createServer } from 'node:http';
import aggregates from '@graphile/pg-aggregates';
import pg from 'pg';
import { postgraphile } from 'postgraphile';
import connectionFilter from 'postgraphile-plugin-connection-filter';

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 10 });
const handle = postgraphile(pool, 'peer', {
  appendPlugins: [aggregates.default, connectionFilter],
  disableDefaultMutations: true,
  disableQueryLog: true,
  dynamicJson: true,
  graphiql: false,
  ignoreRBAC: false,
  legacyRelations: 'omit',
  retryOnInitFail: false,
  setofFunctionsContainNulls: false,
  watchPg: false,
});
await handle.getGraphQLSchema();

const server = createServer((request, response) => {
  if (request.url === '/health/ready') response.end('{"status":"ok"}');
  else handle(request, response);
});
server.keepAliveTimeout = 72_000; // the default of Fastify
server.listen(Number(process.env.PORT), '127.0.0.1');
process.on('SIGTERM', () => {
  server.close(() => pool.end());
  server.closeIdleConnections();
});
