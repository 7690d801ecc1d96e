import type { FastifyReply } from 'fastify';
import { testConfig } from '../../../test/support/auth-application';
import { createTestDatabase, execute, type TestDatabase } from '../../../test/support/database';
import { ReadDatabase, WriteDatabase } from '../database';
import { Health } from '../observability/health';
import { HealthController } from '../observability/health.controller';
import { startupProblem } from '../process/startup-problem';
import { isOutage } from './connection-lost';
import { migrate } from './migrate';

describe('a database that takes no writes', () => {
  let test: TestDatabase;
  let writes: WriteDatabase;
  let reads: ReadDatabase;

  /** Applies to sessions that begin from now on. */
  const setReadOnly = (value: 'on' | 'off') =>
    execute(
      test.url,
      `begin read write; alter database ${new URL(test.url).pathname.slice(1)}
         set default_transaction_read_only = ${value}; commit`,
    );

  beforeEach(async () => {
    test = await createTestDatabase();
    await setReadOnly('on');
    [writes, reads] = [new WriteDatabase(testConfig(test.url)), new ReadDatabase(testConfig(test.url))];
  });
  afterEach(async () => {
    await Promise.all([writes, reads].map((database) => database.onApplicationShutdown()));
    await test.drop();
  });

  it('counts as an outage, because another connection may lead to one that takes writes', async () => {
    const write = () =>
      writes.transaction((client) => client.query('create table written (id int)')).catch((error) => error);
    expect(isOutage(await write())).toBe(true);
    await setReadOnly('off');
    expect(isOutage(await write())).toBe(false);
    expect(await execute(test.url, 'select from written')).toEqual([]);
  });

  it('is reported by readiness as degraded, while the process stays ready', async () => {
    const status = jest.fn();
    const reply = { server: { drain: { isBegun: false } }, status } as unknown as FastifyReply;
    expect(await new HealthController(writes, reads, new Health()).ready(reply)).toEqual({
      status: 'degraded',
      checks: { eventStore: 'read-only', readModels: 'read-only' },
      degraded: ['the event store can only be read', 'the read models can only be read'],
    });
    expect(status).not.toHaveBeenCalled();
    await setReadOnly('off');
    expect(await Promise.all([writes.state(), reads.state()])).toEqual(['ok', 'ok']);
  });

  it('lets processes start when no migration is outstanding', async () => {
    expect(await migrate(test.url, 'write')).toEqual([]);
    expect(await migrate(test.url, 'read')).toEqual([]);
  });

  it('keeps processes from starting when one is, with a message of one line', async () => {
    await execute(test.url, 'begin read write; delete from public.migrations_write where id = 1; commit');
    const problem = await migrate(test.url, 'write').then(() => undefined, startupProblem);
    expect(problem).toMatch(/^The database takes no writes, as a standby does not: cannot execute [^"]+$/);
  });
});
